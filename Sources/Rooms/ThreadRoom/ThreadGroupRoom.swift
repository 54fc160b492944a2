package import Database

extension SQLStore {
    /// Groups of similar notes, and how lively threads are.
    package var threadGroups: ThreadGroupRoom { ThreadGroupRoom(store: self) }
}

/// How far notes are grouped.
package struct ThreadGroupState: Sendable, Hashable {
    /// The space whose vectors were compared; 0 for none.
    package var space: Int64
    /// All changes of notes up to here are in the pairs.
    package var position: Int64
    /// Whether the groups are of these pairs.
    package var isGrouped: Bool

    package init(space: Int64, position: Int64, isGrouped: Bool) {
        self.space = space
        self.position = position
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
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct ThreadGroupRoom: Sendable {
    let store: any SQLStore

    private static let stateKey = "thread_groups"
    private static let dayKey = "thread_groups_day"
    /// Rows of one read or write of many.
    private static let batch = 20_000
    /// Threads that are looked at, at most.
    static let maxThreads = 20_000

    /// How far notes are grouped; nil when they never were.
    package func state() async throws -> ThreadGroupState? {
        let parts = try await value(Self.stateKey)?.split(separator: " ") ?? []
        guard parts.count == 3, let space = Int64(parts[0]), let position = Int64(parts[1]) else { return nil }
        return ThreadGroupState(space: space, position: position, isGrouped: parts[2] == "1")
    }

    /// Stores how far notes are grouped.
    package func set(_ state: ThreadGroupState) async throws {
        try await store.relaxedTransaction {
            try Self.set(Self.stateKey, "\(state.space) \(state.position) \(state.isGrouped ? 1 : 0)", $0)
        }
    }

    /// The person's day on which the work was last done; nil when it never was.
    package func doneDay() async throws -> String? { try await value(Self.dayKey) }

    /// Stores that the work of a day is done.
    package func setDone(_ day: String) async throws {
        try await store.transaction { try Self.set(Self.dayKey, day, $0) }
    }

    private func value(_ key: String) async throws -> String? {
        try await store.rows("SELECT value FROM gateway_meta WHERE key = $1", [.text(key)]).first?.text(0)
    }

    private static func set(_ key: String, _ value: String, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_meta (key, value) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE gateway_meta.value <> excluded.value
            """, [.text(key), .text(value)])
    }

    // MARK: Groups

    /// For each note of a group the group.
    package func groups() async throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        try await all({ _ in "SELECT note_id, community FROM gateway_note_groups WHERE note_id > $1 ORDER BY note_id" })
        {
            found[$0] = $1
        }
        return found
    }

    /// Changes the groups of notes, nil for none, and stores how far that is.
    package func change(_ groups: [Int64: Int64?], _ state: ThreadGroupState) async throws {
        let changes = groups.sorted { $0.key < $1.key }
        for start in stride(from: 0, to: changes.count, by: Self.batch) {
            try Task.checkCancellation()
            let part = changes[start..<min(start + Self.batch, changes.count)]
            try await store.relaxedTransaction { session in
                for (note, group) in part {
                    if let group {
                        try session.run(
                            """
                            INSERT INTO gateway_note_groups (note_id, community) VALUES ($1, $2)
                            ON CONFLICT (note_id) DO UPDATE SET community = excluded.community
                            """, [.integer(note), .integer(group)])
                    } else {
                        try session.run("DELETE FROM gateway_note_groups WHERE note_id = $1", [.integer(note)])
                    }
                }
            }
        }
        try await set(state)
    }

    /// When each note was written that the API returns, in seconds since 1970; 0 for an unreadable date.
    package func noteTimes() async throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        try await all({ "SELECT n.id, n.time FROM \($0.notes) n WHERE n.id > $1 ORDER BY n.id" }) { found[$0] = $1 }
        return found
    }

    /// Calls a closure with two numbers of each row, in batches by the first one.
    ///
    /// - Parameter statement: A `SELECT` of rows whose first number is above `$1`, in their order.
    private func all(
        _ statement: @escaping @Sendable (any NoteTables) -> String, _ body: (Int64, Int64) -> Void
    ) async throws {
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let start = last
            let rows = try await store.snapshot { session in
                try session.rows(
                    "\(statement(try session.noteTables())) LIMIT $2", [.integer(start), .count(Self.batch)])
            }
            for row in rows { if let first = row.integer(0) { body(first, row.integer(1) ?? 0) } }
            guard let end = rows.last?.integer(0), rows.count == Self.batch, end > start else { return }
            last = end
        }
    }

    /// All threads with their notes, in the order of their ids; at most 20,000.
    package func threads() async throws -> [ThreadMembers] {
        let rows = try await store.snapshot { session in
            try session.rows(
                """
                SELECT t.id, \(session.dialect.bounded("t.name", 1024)), t.is_active
                FROM \(try session.noteTables().threads) t ORDER BY t.id LIMIT $1
                """, [.count(Self.maxThreads)])
        }
        let members = try await members()
        return rows.compactMap { row in
            row.integer(0).map {
                ThreadMembers(id: $0, name: row.text(1) ?? "", isActive: row.bool(2), notes: members[$0] ?? [])
            }
        }
    }

    /// The notes of each thread, ascending.
    private func members() async throws -> [Int64: [Int64]] {
        var found: [Int64: [Int64]] = [:]
        var last: (Int64, Int64) = (.min, .min)
        while true {
            try Task.checkCancellation()
            let values: [SQLValue] = [.integer(last.0), .integer(last.1), .count(Self.batch)]
            let rows = try await store.snapshot { session in
                try session.rows(
                    """
                    SELECT DISTINCT m.thread_id, m.note_id FROM \(try session.noteTables().members) m
                    WHERE (m.thread_id, m.note_id) > ($1, $2) ORDER BY 1, 2 LIMIT $3
                    """, values)
            }
            for row in rows {
                guard let thread = row.integer(0), let note = row.integer(1) else { continue }
                found[thread, default: []].append(note)
            }
            guard rows.count == Self.batch, let end = rows.last, let one = end.integer(0), let other = end.integer(1)
            else { return found }
            last = (one, other)
        }
    }

    /// The titles and the first characters of notes, for those that the API returns.
    package func texts(of notes: [Int64]) async throws -> [Int64: (title: String, text: String)] {
        var found: [Int64: (title: String, text: String)] = [:]
        for start in stride(from: 0, to: notes.count, by: 500) {
            let list = SQLValue.numbers(notes[start..<min(start + 500, notes.count)])
            let rows = try await store.snapshot { session in
                let words = session.dialect
                return try session.rows(
                    """
                    SELECT n.id, substr(\(words.bounded("n.title", 65_536)), 1, 400),
                        substr(\(words.bounded("n.content", 1 << 20)), 1, 400)
                    FROM \(try session.noteTables().notes) n WHERE n.id IN \(words.numbers("$1"))
                    """, [list])
            }
            for row in rows { if let id = row.integer(0) { found[id] = (row.text(1) ?? "", row.text(2) ?? "") } }
        }
        return found
    }
}
