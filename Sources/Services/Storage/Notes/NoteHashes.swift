import Foundation
import GRDB
import Synchronization

/// Maps 64 bits of a text's hash to notes, so that a capture finds its duplicate without reading every note.
///
/// Loads once in the background and then follows the change log, so it sees writes of every process. Takes about 80
/// bytes per note.
final class NoteHashes: Sendable {
    /// The maximum number of notes; in a larger file captures read the table.
    static let maxNotes = 2_000_000
    /// The maximum number of changed notes to catch up with; beyond that, everything is reloaded.
    private static let maxChanges = 5000

    private struct State {
        var hashes: [Int64: UInt64] = [:]
        /// The first note of each hash; `others` has the rest.
        var first: [UInt64: Int64] = [:]
        var others: [UInt64: Set<Int64>] = [:]
        /// The position in the change log that the hashes reflect; nil when they are not loaded.
        var cursor: Int64?
        var isLoading = false

        mutating func set(_ id: Int64, _ hash: UInt64?) {
            if let old = hashes[id] {
                if first[old] == id { first[old] = others[old]?.popFirst() } else { others[old]?.remove(id) }
                if others[old]?.isEmpty == true { others[old] = nil }
            }
            hashes[id] = hash
            guard let hash else { return }
            if first[hash] == nil { first[hash] = id } else { others[hash, default: []].insert(id) }
        }
    }

    private let state = Mutex(State())

    /// Starts loading in the background, unless it is done or running.
    func prepare(_ database: GatewayDatabase) {
        let mustLoad = state.withLock { state in
            guard state.cursor == nil, !state.isLoading else { return false }
            state.isLoading = true
            return true
        }
        guard mustLoad else { return }
        Task.detached { [self] in
            let loaded = try? await database.read { try Self.load($0) }
            state.withLock { state in
                state = loaded ?? State()
                // A file that is too large stays marked as loading, so that captures do not read it again.
                state.isLoading = loaded != nil && state.cursor == nil
            }
        }
    }

    /// Drops all hashes: hashes from a rolled-back transaction are wrong.
    func forget() { state.withLock { $0 = State(isLoading: $0.isLoading) } }

    /// Returns the notes that may have a text; nil when the hashes are not loaded.
    ///
    /// Call it in a write transaction, before that transaction writes notes.
    func notes(with text: Data, in database: Database) throws -> [Int64]? {
        try state.withLock { state in
            guard try Self.follow(&state, database) else {
                state = State(isLoading: state.isLoading)
                return nil
            }
            let hash = Self.short(text)
            return (state.first[hash].map { [$0] } ?? []) + (state.others[hash] ?? [])
        }
    }

    /// Applies the changes since the cursor; false when everything must be reloaded.
    private static func follow(_ state: inout State, _ database: Database) throws -> Bool {
        guard let cursor = state.cursor else { return false }
        let end = try self.end(database)
        if end == cursor { return true }
        let first = try Scalar.integer(database, sql: "SELECT min(seq) FROM gateway_changes")
        guard end > cursor, let first, first <= cursor + 1 else { return false }
        let ids = try Scalar.integers(
            database,
            sql: "SELECT DISTINCT note_id FROM gateway_changes WHERE seq > ? AND typeof(note_id) = 'integer' LIMIT ?",
            arguments: [cursor, maxChanges + 1])
        guard ids.count <= maxChanges, state.hashes.count + ids.count <= maxNotes else { return false }
        let hash = try database.cachedStatement(sql: "SELECT gateway_hash(title, content) FROM raw_notes WHERE id = ?")
        for id in ids { state.set(id, try Row.fetchOne(hash, arguments: [id])?.bytes(0).map(short)) }
        state.cursor = end
        return true
    }

    private static func load(_ database: Database) throws -> State {
        var state = State()
        let cursor = try end(database)
        let rows = try Row.fetchCursor(
            database, sql: "SELECT id, gateway_hash(title, content) FROM raw_notes WHERE typeof(id) = 'integer'")
        while let row = try rows.next() {
            guard let id = row.integer(0), let hash = row.bytes(1) else { continue }
            guard state.hashes.count < maxNotes else { return State() }
            state.set(id, short(hash))
        }
        state.cursor = cursor
        return state
    }

    private static func end(_ database: Database) throws -> Int64 {
        try Scalar.integer(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_changes'") ?? 0
    }

    private static func short(_ hash: Data) -> UInt64 { hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
