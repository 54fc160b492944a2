import Concurrency
import Dispatch
import Synchronization
import Testing

/// Work over large texts runs on threads of its own, one piece of an owner at a time.
@Suite struct LargeWorkTests {
    private let large = LargeWork.threshold + 1

    /// Names in the order of their work.
    private final class Order: Sendable {
        let names = Mutex<[String]>([])
        func append(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `only large work leaves the thread of its task`() async throws {
        let lane = LargeWork(width: 2)
        #expect(try await lane.run(over: LargeWork.threshold, for: "a") { LargeWork.isCurrent } == false)
        #expect(lane.started == 0)
        #expect(try await lane.run(over: large, for: "a") { LargeWork.isCurrent })
        #expect(lane.started == 1)
    }

    @Test func `errors of the work are thrown`() async {
        struct Odd: Error {}
        await #expect(throws: Odd.self) {
            try await LargeWork(width: 1).run(over: large, for: "a") { throw Odd() }
        }
    }

    @Test func `an owner has one piece of work at a time, and owners take turns`() async throws {
        let lane = LargeWork(width: 1)
        let order = Order()
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The first piece holds the lane until all wait.
            group.addTask { [large] in try await lane.run(over: large, for: "a") { gate.wait() } }
            while lane.started == 0 { await Task.yield() }
            for number in 0..<3 {
                group.addTask { [large] in
                    try await lane.run(over: large, for: "a") { order.append("a\(number)") }
                }
                while lane.waiting < number + 1 { await Task.yield() }
            }
            group.addTask { [large] in
                try await lane.run(over: large, for: "b") { order.append("b") }
            }
            while lane.waiting < 4 { await Task.yield() }
            gate.signal()
            try await group.waitForAll()
        }
        #expect(order.names.withLock { $0 } == ["b", "a0", "a1", "a2"])
    }

    @Test func `a cancelled task waits no longer`() async throws {
        let lane = LargeWork(width: 1)
        let gate = DispatchSemaphore(value: 0)
        let first = Task { [large] in try await lane.run(over: large, for: "a") { gate.wait() } }
        while lane.started == 0 { await Task.yield() }
        let second = Task { [large] in try await lane.run(over: large, for: "a") { Issue.record("it ran") } }
        while lane.waiting == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.signal()
        try await first.value
    }
}
