import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// Work that goes on while nobody needs the upstreams.
@Suite struct IdleWork {
    let caller = AdmissionCaller("a")

    @Test func `begins when nothing is in flight, takes no place, and returns its value`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 1)
        let permit = try await admission.acquire(caller)
        let began = Locked(false)
        async let value = admission.whileIdle { () async throws -> Int in
            began.change { $0 = true }
            #expect(admission.load == (0, 0))
            return 7
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!began.value)
        permit.release()
        #expect(try await value == 7)
        #expect(admission.snapshot.statistics.granted == [.interactive: 1])
    }

    @Test func `ends when a request arrives, before that has its place`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 1)
        let (began, cancelled) = (Locked(false), Locked(false))
        async let value: Int? = admission.whileIdle {
            try await withTaskCancellationHandler {
                began.change { $0 = true }
                try await Task.sleep(for: .seconds(600))
                return 7
            } onCancel: {
                cancelled.change { $0 = true }
            }
        }
        while !began.value { await Task.yield() }
        let permit = try #require(admission.acquireAtOnce(caller))
        #expect(cancelled.value)
        #expect(try await value == nil)
        #expect(admission.arrivals == 1)
        permit.release()
        #expect(admission.load == (0, 0))
        #expect(try await admission.whileIdle { 8 } == 8)
    }

    @Test func `a cancelled task waits and works no longer`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 1)
        let permit = try await admission.acquire(caller)
        let waiting = Task { try await admission.whileIdle { 7 } }
        for _ in 0..<10 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        permit.release()
        let began = Locked(false)
        let working = Task {
            try await admission.whileIdle {
                began.change { $0 = true }
                try await Task.sleep(for: .seconds(600))
            }
        }
        while !began.value { await Task.yield() }
        working.cancel()
        await #expect(throws: CancellationError.self) { try await working.value }
    }

    @Test func `errors are rethrown`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 1)
        await #expect(throws: UpstreamError.self) {
            _ = try await admission.whileIdle { throw UpstreamError(.cut, "x") }
        }
    }
}
