import Inference
import NIOCore
import Synchronization
import Transport

/// Caches merged lists of models briefly, and shares each list among all concurrent callers.
///
/// A list costs a request to every endpoint and up to ``MergedCatalogue/limit`` bytes of each answer. The cache has one
/// entry for each route that lists models.
final class CatalogueCache: Sendable {
    /// How long a list is fresh. Loaded models change with every request, so `/api/ps` is shared but not cached.
    static func freshness(of path: String) -> Duration { path == "/api/ps" ? .zero : .seconds(1) }

    typealias List = Result<ByteBuffer, UpstreamError>

    private struct Entry {
        var task: Task<List, Never>
        /// When the list was complete; nil while it is being made.
        var doneAt: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The number of lists begun for each route, so that a completed list never replaces its successor.
        var begun: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// The list of a route, cached or in progress, else a new list. Failures are not cached.
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

    /// Forgets all lists, because the endpoints' models changed.
    func forget() { state.withLock { $0.entries = [:] } }

    private func finish(_ path: String, _ number: Int, _ list: List) {
        state.withLock { state in
            guard state.begun[path] == number, state.entries[path] != nil else { return }
            if case .success = list { state.entries[path]?.doneAt = .now } else { state.entries[path] = nil }
        }
    }
}
