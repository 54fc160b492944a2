import GRDB

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far notes are grouped.
package struct ThreadGroupState: Sendable, Hashable {
    /// The space whose vectors were compared; 0 for none.
    package var space: SpaceID
    /// All changes of notes up to here are in the pairs.
    package var cursor: ChangeCursor
    /// Whether the groups are of these pairs.
    package var isGrouped: Bool

    package init(space: SpaceID, cursor: ChangeCursor, isGrouped: Bool) {
        self.space = space
        self.cursor = cursor
        self.isGrouped = isGrouped
    }
}

/// A thread with its notes.
package struct ThreadMembers: Sendable, Hashable {
    package var id: Int64
    package var name: String
    package var isActive: Bool
    /// The ids of its notes.
    package var notes: [Int64]
}

/// Stores groups of similar notes, and reads what they are made of.
package struct ThreadGroupStore: Sendable {
    let database: GatewayDatabase

    private static let stateKey = "thread_groups"
    private static let dayKey = "thread_groups_day"
    /// Rows of one read or write of many.
    private static let batch = 20_000
    /// Threads that are looked at, at most.
    static let maxThreads = 20_000

    /// How far notes are grouped; nil when they never were.
    package func state() async throws -> ThreadGroupState? {
        try await database.read { database in
            let parts = try MetaTable.text(Self.stateKey, in: database)?.split(separator: " ") ?? []
            guard parts.count == 3, let space = Int64(parts[0]), let cursor = Int64(parts[1]) else { return nil }
            return ThreadGroupState(
                space: space, cursor: ChangeCursor(position: cursor), isGrouped: parts[2] == "1")
        }
    }

    /// Stores how far notes are grouped.
    package func set(_ state: ThreadGroupState) async throws {
        try await database.writeRelaxed { try Self.set(state, $0) }
    }

    private static func set(_ state: ThreadGroupState, _ database: Database) throws {
        let text = "\(state.space) \(state.cursor.position) \(state.isGrouped ? 1 : 0)"
        guard try MetaTable.text(stateKey, in: database) != text else { return }
        try MetaTable.set(stateKey, text, in: database)
    }

    /// The person's day on which the work was last done; nil when it never was.
    package func doneDay() async throws -> String? {
        try await database.read { try MetaTable.text(Self.dayKey, in: $0) }
    }

    /// Stores that the work of a day is done.
    package func setDone(_ day: String) async throws {
        try await database.write { try MetaTable.set(Self.dayKey, day, in: $0) }
    }

    /// For each note of a group the group.
    package func groups() async throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let start = last
            let rows = try await database.read { database in
                try Row.fetchAll(
                    database,
                    sql:
                        "SELECT note_id, community FROM gateway_note_groups WHERE note_id > ? ORDER BY note_id LIMIT \(Self.batch)",
                    arguments: [start]
                ).compactMap { row in row.integer(0).flatMap { note in row.integer(1).map { (note, $0) } } }
            }
            for (note, group) in rows { found[note] = group }
            guard let end = rows.last?.0, rows.count == Self.batch else { return found }
            last = end
        }
    }

    /// Changes the groups of notes, nil for none, and stores how far that is.
    package func change(_ groups: [Int64: Int64?], _ state: ThreadGroupState) async throws {
        let changes = groups.sorted { $0.key < $1.key }
        for start in stride(from: 0, to: changes.count, by: Self.batch) {
            try Task.checkCancellation()
            let part = changes[start..<min(start + Self.batch, changes.count)]
            try await database.writeRelaxed { database in
                let put = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO gateway_note_groups (note_id, community) VALUES (?, ?)")
                let delete = try database.cachedStatement(sql: "DELETE FROM gateway_note_groups WHERE note_id = ?")
                for (note, group) in part {
                    if let group {
                        try put.execute(arguments: [note, group])
                    } else {
                        try delete.execute(arguments: [note])
                    }
                }
            }
        }
        try await set(state)
    }

    /// When each note was written that the API returns, in seconds since 1970; 0 for an unreadable date.
    package func noteTimes() async throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let start = last
            let rows = try await database.read { database, layout in
                let columns = layout.columns
                return try Row.fetchAll(
                    database,
                    sql: """
                        SELECT n.id, \(SQLTime.seconds(columns.raw("created_at"))) FROM raw_notes n
                        WHERE n.id > ? AND \(columns.isShown) ORDER BY n.id LIMIT \(Self.batch)
                        """, arguments: [start]
                ).compactMap { row in row.integer(0).map { ($0, row.integer(1) ?? 0) } }
            }
            for (note, time) in rows { found[note] = time }
            guard let end = rows.last?.0, rows.count == Self.batch, end > start else { return found }
            last = end
        }
    }

    /// Reads stored pairs of similar notes, in the order of their ids.
    ///
    /// - Parameters:
    ///   - minSimilarity: The least cosine.
    ///   - notes: Only pairs whose smaller note is one of these; nil for all.
    ///   - body: Called with each batch, until it returns false.
    package func pairs(
        minSimilarity: Double, of notes: [Int64]? = nil, _ body: ([NotePair]) throws -> Bool
    ) async throws {
        if let notes {
            for start in stride(from: 0, to: notes.count, by: 1000) {
                try Task.checkCancellation()
                let list = Self.list(notes[start..<min(start + 1000, notes.count)])
                let found = try await pairs(
                    "note_a_id IN (SELECT value FROM json_each(?)) AND note_b_id > ?", [list, Int64.min], minSimilarity,
                    limit: 2_000_000)
                guard try body(found.pairs) else { return }
            }
            return
        }
        var last: (Int64, Int64) = (.min, .min)
        while true {
            try Task.checkCancellation()
            let found = try await pairs(
                "(note_a_id, note_b_id) > (?, ?)", [last.0, last.1], minSimilarity, limit: Self.batch)
            guard try body(found.pairs), let end = found.end, end > last else { return }
            last = end
        }
    }

    private func pairs(
        _ condition: String, _ arguments: StatementArguments, _ minSimilarity: Double, limit: Int
    ) async throws -> (pairs: [NotePair], end: (Int64, Int64)?) {
        try await database.read { database, layout in
            let schema = layout.schema
            guard let column = schema.similarity,
                schema.associations.names.isSuperset(of: ["note_a_id", "note_b_id"])
            else { return ([], nil) }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT note_a_id, note_b_id, \(ValueLimit.finite(column, else: "-1e300")) FROM note_associations
                    WHERE \(condition) AND typeof(note_a_id) = 'integer' AND typeof(note_b_id) = 'integer'
                    ORDER BY note_a_id, note_b_id LIMIT \(limit)
                    """, arguments: arguments)
            var found: [NotePair] = []
            var end: (Int64, Int64)?
            while let row = try rows.next() {
                guard let one = row.integer(0), let other = row.integer(1) else { continue }
                end = (one, other)
                guard let similarity = row.real(2), similarity >= minSimilarity, one != other else { continue }
                found.append(NotePair(first: min(one, other), second: max(one, other), similarity: similarity))
            }
            return (found, end)
        }
    }

    /// The notes that have a stored pair with one of some notes.
    package func partners(of notes: [Int64], minSimilarity: Double) async throws -> Set<Int64> {
        var found: Set<Int64> = []
        for start in stride(from: 0, to: notes.count, by: 1000) {
            let list = Self.list(notes[start..<min(start + 1000, notes.count)])
            found.formUnion(
                try await database.read { database, layout -> [Int64] in
                    let schema = layout.schema
                    guard let column = schema.similarity,
                        schema.associations.names.isSuperset(of: ["note_a_id", "note_b_id"])
                    else { return [] }
                    let similarity = ValueLimit.finite(column, else: "-1e300")
                    return try Scalar.integers(
                        database,
                        sql: """
                            SELECT note_b_id FROM note_associations
                            WHERE note_a_id IN (SELECT value FROM json_each(?1)) AND \(similarity) >= ?2
                            UNION SELECT note_a_id FROM note_associations
                            WHERE note_b_id IN (SELECT value FROM json_each(?1)) AND \(similarity) >= ?2
                            """, arguments: [list, minSimilarity])
                })
        }
        return found
    }

    /// All threads with their notes, in the order of their ids; at most 20,000.
    package func threads() async throws -> [ThreadMembers] {
        try await database.read { database, layout in
            let (columns, threads) = (layout.columns, layout.schema.threads)
            guard threads.names.contains("id") else { return [] }
            var members: [Int64: [Int64]] = [:]
            if columns.hasThreads, let note = columns.threadNote {
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT DISTINCT thread_id, \(note) FROM thread_notes
                        WHERE typeof(thread_id) = 'integer' AND typeof(\(note)) = 'integer' ORDER BY 1, 2
                        """)
                while let row = try rows.next() {
                    guard let thread = row.integer(0), let id = row.integer(1) else { continue }
                    members[thread, default: []].append(id)
                }
            }
            let active = threads.names.contains("status") ? "t.status IS 'active'" : "1"
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT t.id, \(threads.bounded("t", "name", limit: 1024)), \(active) FROM threads t
                    WHERE typeof(t.id) = 'integer' ORDER BY t.id LIMIT \(Self.maxThreads)
                    """
            ).compactMap { row in
                row.integer(0).map {
                    ThreadMembers(
                        id: $0, name: row.text(1) ?? "", isActive: row.count(2) != 0, notes: members[$0] ?? [])
                }
            }
        }
    }

    /// The titles and the first characters of notes, for those that the API returns.
    package func texts(of notes: [Int64]) async throws -> [Int64: (title: String, text: String)] {
        var found: [Int64: (title: String, text: String)] = [:]
        for start in stride(from: 0, to: notes.count, by: 500) {
            let list = Self.list(notes[start..<min(start + 500, notes.count)])
            let rows = try await database.read { database, layout in
                let columns = layout.columns
                return try Row.fetchAll(
                    database,
                    sql: """
                        SELECT n.id, substr(\(ValueLimit.bounded(columns.raw("title"), 65_536)), 1, 400),
                            substr(\(ValueLimit.bounded(columns.raw("content"), 1 << 20)), 1, 400)
                        FROM raw_notes n WHERE n.id IN (SELECT value FROM json_each(?)) AND \(columns.isShown)
                        """, arguments: [list]
                ).compactMap { row in row.integer(0).map { ($0, row.text(1) ?? "", row.text(2) ?? "") } }
            }
            for (id, title, text) in rows { found[id] = (title, text) }
        }
        return found
    }

    /// A list of numbers as JSON.
    static func list(_ numbers: some Sequence<Int64>) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }
}
