import TestSupport
import Testing

@testable import Inference

/// The place of a request while it waits.
@Suite struct PlacesInQueue {
    private let start = ContinuousClock.now

    @Test func `the place is the number of grants until the request's own`() {
        var random = SeededGenerator(11)
        for _ in 0..<200 {
            var queue = AdmissionQueue<UInt64>(limits: AdmissionLimits(maxInFlight: 1, maxWaiting: 64))
            guard case .grant(var grant) = queue.arrive(0, AdmissionCaller("first"), at: start, 0) else { continue }
            for request in 1...UInt64.random(in: 1...40, using: &random) {
                let caller = AdmissionCaller(
                    "caller \(Int.random(in: 0...4, using: &random))",
                    Bool.random(using: &random) ? .batch : .interactive)
                _ = queue.arrive(request, caller, at: start, request)
                if Int.random(in: 0...5, using: &random) == 0 {
                    _ = queue.cancel(.random(in: 1...request, using: &random))
                }
            }
            let waiting = (1...40).filter { queue.place(of: $0) != nil }
            var expected = Dictionary(uniqueKeysWithValues: waiting.map { ($0, queue.place(of: $0) ?? 0) })
            #expect(waiting.count == queue.waiting)
            #expect(queue.places == expected)
            #expect(expected.values.sorted() == Array(1...max(1, waiting.count)).prefix(waiting.count).map { $0 })
            // Each grant moves all others by one.
            while let next = queue.release(grant, at: start) {
                #expect(expected[next.waiter] == 1)
                expected[next.waiter] = nil
                for (request, place) in expected { expected[request] = place - 1 }
                for (request, place) in expected { #expect(queue.place(of: request) == place) }
                grant = next.grant
            }
            #expect(expected.isEmpty)
        }
    }

    @Test func `a waiting request is told each new place`() async throws {
        let admission = Admission(maxInFlight: 1, maxWaiting: 8)
        var held = try await admission.acquire(AdmissionCaller("first"))
        let seen = (0..<3).map { _ in Locked<[Int]>([]) }
        let waiting = try await withThrowingTaskGroup(of: Void.self) { group in
            let order = Locked<[Int]>([])
            let permits = Locked<[Admission.Permit]>([])
            for (index, places) in seen.enumerated() {
                group.addTask {
                    let permit = try await admission.acquire(AdmissionCaller("same"), every: .milliseconds(5)) {
                        place in
                        places.change { $0.append(place) }
                    }
                    order.change { $0.append(index) }
                    permits.change { $0.append(permit) }
                }
                #expect(await eventually { admission.load.waiting == index + 1 })
            }
            for place in 1...3 {
                held.release()
                #expect(await eventually { permits.value.count == place })
                // Each of the others sees its place before the next one moves.
                for (index, places) in seen.enumerated() where index >= place {
                    #expect(await eventually { places.value.last == index + 1 - place })
                }
                held = permits.value[place - 1]
            }
            held.release()
            try await group.waitForAll()
            return order.value
        }
        #expect(waiting == [0, 1, 2])
        #expect(seen.map(\.value) == [[1], [2, 1], [3, 2, 1]])
    }
}
