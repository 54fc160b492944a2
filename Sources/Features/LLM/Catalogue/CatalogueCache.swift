import Inference
import NIOCore
import Synchronization
import Transport

/// Keeps merged lists of models for a moment, and makes each list once for all who ask at the same time.
///
/// A list costs a request to every endpoint and up to ``MergedCatalogue/limit`` bytes of each answer. There are as many
/// entries as there are routes that list models.
final class CatalogueCache: Sendable {
    /// How long a list is good. What is in memory changes with every request, so that list is shared but not kept.
    static func freshness(of path: String) -> Duration { path == "/api/ps" ? .zero : .seconds(1) }

    typealias List = Result<ByteBuffer, UpstreamError>

    private struct Entry {
        var task: Task<List, Never>
        /// When the list was done; nil while it is made.
        var doneAt: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Counts the lists that were begun, so that one that is done is not taken for its successor.
        var begun: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// The list of a route: one that is being made or was made a moment ago, else a new one. Failures are not kept.
    func list(_ path: String, _ make: @escaping @Sendable () async -> List) async -> List {
        let now = ContinuousClock.now
        let task = state.withLock { state in
            if let entry = state.entries[path], entry.doneAt.map({ now - $0 < Self.freshness(of: path) }) ?? true {
                return entry.task
            }
            let number = (state.begun[path] ?? 0) &+ 1
            state.begun[path] = number
            let task = Task {
                let list = await make()
                self.finish(path, number, list)
                return list
            }
            state.entries[path] = Entry(task: task)
            return task
        }
        return await task.value
    }

    /// Forgets all lists: what the endpoints hold has changed.
    func forget() { state.withLock { $0.entries = [:] } }

    private func finish(_ path: String, _ number: Int, _ list: List) {
        state.withLock { state in
            guard state.begun[path] == number, state.entries[path] != nil else { return }
            if case .success = list { state.entries[path]?.doneAt = .now } else { state.entries[path] = nil }
        }
    }
}
