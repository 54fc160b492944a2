import Storage
import Synchronization

/// What a feed delivered, from whichever thread.
final class FeedReader: Sendable {
    private let items = Mutex<[IndexedNote]>([])

    func add(_ notes: [IndexedNote]) { items.withLock { $0 += notes } }

    var all: [IndexedNote] { items.withLock { $0 } }

    /// Those that are there.
    var notes: [FeedNote] { all.compactMap { if case .present(let note) = $0 { note } else { nil } } }

    var times: [Int64: Int64] { Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.createdAt) }) }
}
