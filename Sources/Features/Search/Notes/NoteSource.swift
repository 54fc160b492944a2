import GatewayAPI
import PostgresStorage
import Retrieval
import Storage

/// Where notes are searched and loaded.
protocol NoteSource: Sendable {
    /// The notes as they are now.
    func view() async throws -> NoteView
    /// The notes as one comparison of each with each sees them.
    func near() async throws -> NearNotes
    /// The ids of the threads with these names or ids.
    func threads(matching names: [String]) async throws -> Set<Int64>
    /// Notes by id, in the order of the ids, without deleted and hidden ones.
    func load(_ ids: [Int64]) async throws -> [Note]
}

/// The notes as one search sees them.
struct NoteView: Sendable {
    /// The space that answers queries; nil before the first backfill.
    var space: StoredSpace?
    /// Whether any note has a vector.
    var hasVectors: Bool
    /// Ranks the notes.
    var search: @Sendable (HybridQuery) async throws -> HybridResult
    /// The direction of a note's vectors; nil for a note without any.
    var vector: @Sendable (Int64) async throws -> [Float]?
    /// Who ranks, for explanations; nil for this gateway's index.
    var searcher: String?
}

/// The notes as one comparison of each with each sees them.
struct NearNotes: Sendable {
    typealias Block = (NearPairBlock) async throws -> Void

    /// The space whose vectors are compared; nil before the first backfill.
    var space: SpaceID?
    /// The number of notes that have vectors.
    var count: Int
    /// Finds pairs behind a note, of some notes or of all, block by block.
    var pairs:
        @Sendable (_ options: NearPairOptions, _ after: Int64?, _ of: Set<Int64>?, _ body: Block) async throws -> Void
}

/// The notes as this gateway's own index has them, wherever they are.
struct IndexedNotes: NoteSource {
    let follower: IndexFollower
    let notes: any NoteBook
    let threads: any ThreadBook

    func view() async throws -> NoteView {
        let live = try await follower.current()
        return NoteView(space: live.space, hasVectors: live.index.statistics.vectors > 0) { query in
            try await live.index.search(query)
        } vector: { id in
            if let vector = live.index.vector(of: id) { return vector }
            guard live.index.isIntact else {
                throw RetrievalError(.damaged, "the index file was cut or overwritten while it was in use")
            }
            return nil
        }
    }

    func near() async throws -> NearNotes {
        let live = try await follower.complete()
        return NearNotes(space: live.space?.id, count: live.index.statistics.vectors) { options, last, notes, body in
            try await live.index.nearPairs(options, after: last, of: notes, body)
        }
    }

    func threads(matching names: [String]) async throws -> Set<Int64> { try await threads.ids(matching: names) }

    func load(_ ids: [Int64]) async throws -> [Note] { try await notes.find(ids: ids) }
}

/// The notes in PostgreSQL as the server finds them, for more notes than a gateway has the memory for.
struct PostgresNoteSource: NoteSource {
    let store: PostgresStore

    func view() async throws -> NoteView {
        let search = PostgresSearch(store)
        let view = try await search.view()
        return NoteView(
            space: view.space, hasVectors: view.hasVectors, search: { try await search.search($0, view) },
            vector: { id in
                guard let space = view.space else { return nil }
                return try await search.vector(of: id, in: space)
            }, searcher: "server")
    }

    func near() async throws -> NearNotes {
        let search = PostgresSearch(store)
        let view = try await search.view()
        return NearNotes(space: view.space?.id, count: try await search.embeddedNotes(view)) {
            options, last, notes, body in
            try await search.nearPairs(options, view, after: last, of: notes, body)
        }
    }

    func threads(matching names: [String]) async throws -> Set<Int64> { try await store.threads.ids(matching: names) }

    func load(_ ids: [Int64]) async throws -> [Note] { try await store.notes.find(ids: ids) }
}
