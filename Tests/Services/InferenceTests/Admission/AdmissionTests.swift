import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// The admission as tasks meet it.
@Suite struct Admissions {
    let caller = AdmissionCaller("a")

    @Test func `lets so many in, keeps so many waiting in order, and refuses the rest`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 2)
        let first = try await admission.acquire(caller)
        #expect(first.position == 0)
        #expect(first.waited == .zero)
        let order = Locked<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...2 {
                group.addTask {
                    let permit = try await admission.acquire(caller)
                    #expect(permit.position == number)
                    #expect(permit.waited > .zero)
                    order.change { $0.append(number) }
                    permit.release()
                }
                while admission.load.waiting < number { await Task.yield() }
            }
            do throws(UpstreamError) {
                _ = try await admission.acquire(caller)
                Issue.record("no error")
            } catch {
                #expect(error.code == .overloaded)
                #expect(error.retryAfterSeconds == 2)
            }
            first.release()
            first.release()
            try await group.waitForAll()
        }
        #expect(order.value == [1, 2])
        #expect(admission.load == (0, 0))
        let snapshot = admission.snapshot
        #expect(snapshot.statistics.granted == [.interactive: 3])
        #expect(snapshot.statistics.refused == [.interactive: 1])
        #expect(snapshot.meanServiceSeconds != nil)
    }

    @Test func `cancelled waiters leave the queue and nothing leaks`() async throws {
        let admission = Admission(
            limits: AdmissionLimits(maxInFlight: 2, maxWaiting: 1000, maxWaitingPerIdentity: 1000))
        let held = [try await admission.acquire(caller), try await admission.acquire(caller)]
        let tasks = (0..<500).map { _ in
            Task { try await admission.acquire(caller).release() }
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        #expect(admission.load == (2, 0))
        for permit in held { permit.release() }
        #expect(admission.load == (0, 0))
        try await admission.acquire(caller).release()
    }

    @Test func `a request that is cancelled while it waits never gets in`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 10)
        let held = try await admission.acquire(caller)
        let waiting = Task {
            try await admission.acquire(caller).release()
            Issue.record("it got in")
        }
        while admission.load.waiting < 1 { await Task.yield() }
        #expect(admission.snapshot.waiting == [.preferred: 0, .interactive: 1, .batch: 0])
        #expect(admission.snapshot.waitingIdentities == [.preferred: 0, .interactive: 1, .batch: 0])
        waiting.cancel()
        await #expect(throws: UpstreamError.self) { try await waiting.value }
        #expect(admission.load == (1, 0))
        #expect(admission.snapshot.statistics.cancelled == [.interactive: 1])
        held.release()
        #expect(admission.load == (0, 0))
    }

    @Test func `hundreds of tasks of many callers never exceed the width`() async throws {
        let admission = Admission(
            limits: AdmissionLimits(maxInFlight: 3, maxWaiting: 1000, maxWaitingPerIdentity: 1000))
        let inside = Locked((now: 0, most: 0, all: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<600 {
                group.addTask {
                    let caller = AdmissionCaller("\(number % 7)", number.isMultiple(of: 3) ? .batch : .interactive)
                    guard let permit = try? await admission.acquire(caller) else { return }
                    inside.change {
                        ($0.now, $0.most, $0.all) = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1)
                    }
                    await Task.yield()
                    inside.change { $0.now -= 1 }
                    permit.release()
                }
            }
        }
        let seen = inside.value
        #expect(seen.now == 0)
        #expect(seen.most <= 3)
        #expect(seen.all == 600)
        #expect(admission.load == (0, 0))
    }
}
