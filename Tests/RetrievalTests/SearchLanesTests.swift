import Dispatch
import Synchronization
import Testing

@testable import Retrieval

@Suite struct Lanes {
    @Test func `as many jobs run as there are lanes, others wait in order, and more are refused`() {
        let lanes = SearchLanes(width: 1, maxWaiting: 2)
        let (started, gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let order = Mutex<[Int]>([])
        func submit(_ number: Int) -> Bool {
            done.enter()
            let isAccepted = lanes.submit {
                started.signal()
                gate.wait()
                order.withLock { $0.append(number) }
                done.leave()
            }
            if !isAccepted { done.leave() }
            return isAccepted
        }
        #expect(submit(1))
        started.wait()
        #expect(submit(2))
        #expect(submit(3))
        #expect(!submit(4))
        for _ in 0..<3 { gate.signal() }
        done.wait()
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func `a search whose task is cancelled before it begins does not run`() async throws {
        let index = HybridIndex(dimensions: nil)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await index.search(HybridQuery(text: "tide", mode: .keyword))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `many searches at once are all answered`() async throws {
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 1, title: "Tide", text: "")]
        try index.apply(update)
        let found = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask { try await index.search(HybridQuery(text: "tide", mode: .keyword)).hits.count }
            }
            return try await group.reduce(0, +)
        }
        #expect(found == 200)
    }
}
