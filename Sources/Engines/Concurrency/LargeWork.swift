import Dispatch
import Synchronization

/// Runs work over large texts on threads of its own, so that it never keeps the cooperative pool from other requests.
///
/// Owners take turns, and the work of one owner runs one after the other. Work over at most ``threshold`` bytes runs at
/// once on the calling task's thread, because handing it over would take longer.
package final class LargeWork: Sendable {
    /// Work over more bytes than this runs on the own threads.
    package static let threshold = 256 << 10
    /// The lane of the process.
    package static let shared = LargeWork(width: 2)

    private struct State {
        var free: Int
        var running: Set<String> = []
        /// Work that waits, by owner. What was cancelled stays in its place and then does nothing.
        var waiting: [String: [@Sendable () -> Void]] = [:]
        /// The owners that wait and do not run, the next one first.
        var turns: [String] = []
        var started = 0
    }

    private let state: Mutex<State>
    /// Of utility class: on Linux the threads of the default class are those of the cooperative pool.
    private let queue = DispatchQueue(label: "selene.large", qos: .utility, attributes: .concurrent)
    private static let mark = DispatchSpecificKey<Bool>()

    /// - Parameter width: How much work runs at once.
    package init(width: Int) {
        state = Mutex(State(free: width))
        queue.setSpecific(key: Self.mark, value: true)
    }

    /// Whether the calling code runs on a thread of a lane.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    /// How many pieces of work have begun on the own threads.
    package var started: Int { state.withLock { $0.started } }

    /// How many pieces of work wait.
    package var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// Runs work when it is its owner's turn.
    ///
    /// - Parameters:
    ///   - bytes: The size of the text.
    ///   - owner: The caller: the name under which a caller's work is counted.
    /// - Throws: The errors of the work; `CancellationError` when the task was cancelled while the work waited.
    package func run<Value: Sendable>(
        over bytes: Int, for owner: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard bytes > Self.threshold, !Self.isCurrent else { return try work() }
        let wait = Wait<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                add({ wait.end { try work() } }, of: owner)
            }
        } onCancel: {
            wait.cancel()
        }
    }

    private func add(_ item: @escaping @Sendable () -> Void, of owner: String) {
        state.withLock { state in
            if state.waiting[owner] == nil, !state.running.contains(owner) { state.turns.append(owner) }
            state.waiting[owner, default: []].append(item)
        }
        start()
    }

    /// Begins work while a place is free.
    private func start() {
        while let (owner, item) = state.withLock({ Self.take(&$0) }) {
            queue.async { [self] in
                item()
                state.withLock { state in
                    state.free += 1
                    state.running.remove(owner)
                    if state.waiting[owner] != nil { state.turns.append(owner) }
                }
                start()
            }
        }
    }

    private static func take(_ state: inout State) -> (String, @Sendable () -> Void)? {
        guard state.free > 0, !state.turns.isEmpty else { return nil }
        let owner = state.turns.removeFirst()
        guard var items = state.waiting.removeValue(forKey: owner), !items.isEmpty else { return nil }
        let item = items.removeFirst()
        if !items.isEmpty { state.waiting[owner] = items }
        state.free -= 1
        state.running.insert(owner)
        state.started += 1
        return (owner, item)
    }
}

/// A task that waits for its work.
private final class Wait<Value: Sendable>: Sendable {
    private enum Phase {
        case new, waiting(CheckedContinuation<Value, any Error>), over
    }
    private let phase = Mutex(Phase.new)

    /// Waits; false when the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .waiting(continuation)
            return true
        }
    }

    /// Does the work and ends the wait, unless it was cancelled.
    func end(_ work: () throws -> Value) {
        guard let continuation = take() else { return }
        continuation.resume(with: Result { try work() })
    }

    func cancel() { take()?.resume(throwing: CancellationError()) }

    private func take() -> CheckedContinuation<Value, any Error>? {
        phase.withLock { phase in
            defer { phase = .over }
            guard case .waiting(let continuation) = phase else { return nil }
            return continuation
        }
    }
}
