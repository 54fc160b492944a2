import GRDB
package import GatewayAPI

/// Stores proposals for threads, and carries out those that a person accepts.
package struct ThreadProposalStore: Sendable {
    let database: GatewayDatabase

    /// The most proposals that are open at once.
    package static let maxOpen = 200
    /// Proposals that a person has decided and that are kept.
    static let maxDecided = 2000
    /// Notes of a part that a list has.
    static let shownNotes = 20

    // MARK: What runs read and write

    /// Returns proposals of a state, oldest first.
    package func stored(_ state: ThreadProposal.State) async throws -> [StoredThreadProposal] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(StoredThreadProposal.columns) FROM gateway_thread_proposals WHERE state = ?
                    ORDER BY id DESC LIMIT \(Self.maxDecided)
                    """, arguments: [state.rawValue])
            var found: [StoredThreadProposal] = []
            while let row = try rows.next() { if let proposal = StoredThreadProposal(row) { found.append(proposal) } }
            return found.reversed()
        }
    }

    /// Returns open proposals of a kind that were made at a time or later, newest first.
    package func open(
        _ kind: ThreadProposal.Kind, since: Int64, limit: Int
    ) async throws -> [StoredThreadProposal] {
        guard limit > 0 else { return [] }
        return try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(StoredThreadProposal.columns) FROM gateway_thread_proposals
                    WHERE state = 'open' AND kind = ? AND created_at >= ? ORDER BY id DESC LIMIT ?
                    """, arguments: [kind.rawValue, since, limit]
            ).compactMap { StoredThreadProposal($0) }
        }
    }

    /// Adds, changes and withdraws open proposals in one transaction. A proposal that a person has decided meanwhile stays.
    ///
    /// - Parameters:
    ///   - kept: New proposals with the id 0, and changed ones.
    ///   - withdrawn: Ids of open proposals that no longer hold.
    ///   - now: The current time in seconds since 1970.
    package func update(_ kept: [StoredThreadProposal], withdrawn: [Int64], now: Int64) async throws {
        guard !kept.isEmpty || !withdrawn.isEmpty else { return }
        try await database.write { database in
            for id in withdrawn {
                try database.execute(
                    sql: "DELETE FROM gateway_thread_proposals WHERE id = ? AND state = 'open'", arguments: [id])
            }
            for proposal in kept where proposal.id != 0 {
                try database.execute(
                    sql: """
                        UPDATE gateway_thread_proposals SET name = ?, summary = ?, why = ?, parts = ?, phrasing = NULL, updated_at = ?
                        WHERE id = ? AND state = 'open'
                        """,
                    arguments: [
                        proposal.name, proposal.summary, proposal.why, try proposal.encodedParts, now, proposal.id,
                    ])
            }
            for proposal in kept where proposal.id == 0 {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_thread_proposals
                        (kind, state, thread_id, name, summary, why, parts, created_at, updated_at)
                        VALUES (?1, 'open', ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                        """,
                    arguments: [
                        proposal.kind.rawValue, proposal.thread, proposal.name, proposal.summary, proposal.why,
                        try proposal.encodedParts, now,
                    ])
            }
            try database.execute(
                sql: """
                    DELETE FROM gateway_thread_proposals WHERE state <> 'open' AND id NOT IN
                    (SELECT id FROM gateway_thread_proposals WHERE state <> 'open' ORDER BY id DESC LIMIT ?)
                    """, arguments: [Self.maxDecided])
        }
    }

    /// Keeps what a model phrased about an open proposal, unless its parts have changed meanwhile.
    ///
    /// - Parameter phrasing: nil for none.
    package func keep(_ phrasing: StoredPhrasing?, of proposal: StoredThreadProposal, now: Int64) async throws {
        let (text, parts) = (try phrasing?.encoded, try proposal.encodedParts)
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_thread_proposals SET phrasing = ?1, updated_at = ?2
                    WHERE id = ?3 AND state = 'open' AND parts = ?4 AND phrasing IS NOT ?1
                    """, arguments: [text, now, proposal.id, parts])
        }
    }

    // MARK: What a person sees and decides

    /// Returns a page of proposals, newest first. Notes that were deleted or hidden since are left out.
    ///
    /// - Parameter state: Only proposals of this state; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        _ state: ThreadProposal.State?, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<ThreadProposal> {
        try cursor?.check(numbers: 1)
        return try await database.read { database, layout in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id FROM gateway_thread_proposals WHERE (?1 IS NULL OR state = ?1) AND id < ?2
                    ORDER BY id DESC LIMIT ?3
                    """, arguments: [state?.rawValue, cursor?.numbers[0] ?? Int64.max, limit + 1])
            let keys = rows.compactMap { row in row.integer(0).map { (key: $0, cursor: PageCursor($0)) } }
            return try Page(keys, limit: limit, bytes: { $0.parts.count * 4096 + 1024 }) { id in
                try Self.find(id, database).map { try Self.shown($0, database, layout) }
            }
        }
    }

    /// Returns a proposal; nil when there is none.
    package func find(_ id: Int64) async throws -> ThreadProposal? {
        try await database.read { database, layout in
            try Self.find(id, database).map { try Self.shown($0, database, layout) }
        }
    }

    /// Declines an open proposal: it is not proposed again. One that is declined stays so.
    ///
    /// - Returns: The proposal; nil when there is none.
    /// - Throws: ``StorageError/Code/conflict`` when it was accepted.
    package func decline(_ id: Int64) async throws -> ThreadProposal? {
        try await database.write { database, layout in
            guard var proposal = try Self.find(id, database) else { return nil }
            guard proposal.state != .accepted else {
                throw StorageError(.conflict, "proposal \(id) was accepted")
            }
            proposal.state = .declined
            try database.execute(
                sql:
                    "UPDATE gateway_thread_proposals SET state = 'declined', updated_at = ? WHERE id = ? AND state = 'open'",
                arguments: [Timestamp.milliseconds / 1000, id])
            return try Self.shown(proposal, database, layout)
        }
    }

    /// Carries out an open proposal, in one transaction: makes its threads, puts its notes into threads. One that was
    /// accepted changes nothing.
    ///
    /// - Parameter name: Another name for the new thread of a proposal of the kind `new`.
    /// - Returns: The proposal; nil when there is none.
    /// - Throws: ``StorageError/Code/conflict`` when it was declined, or its thread or notes are gone;
    ///   ``StorageError/Code/schema`` when the file has no tables of threads.
    package func accept(_ id: Int64, name: String? = nil) async throws -> ThreadProposal? {
        try await database.write { database, layout in
            guard var proposal = try Self.find(id, database) else { return nil }
            if proposal.state == .accepted { return try Self.shown(proposal, database, layout) }
            guard proposal.state == .open else { throw StorageError(.conflict, "proposal \(id) was declined") }
            proposal = try Self.phrased(proposal, database, layout)
            let threads = try ThreadWriter(layout, database)
            var made: [Int64] = []
            switch proposal.kind {
            case .new:
                let notes = try Self.existing(proposal.parts.flatMap(\.notes), database, layout)
                guard !notes.isEmpty else { throw Self.notesAreGone(id) }
                let thread = try threads.make(
                    name ?? proposal.name, why: proposal.why, summary: proposal.summary, notes, database)
                made.append(thread)
            case .join, .split:
                guard let thread = proposal.thread, try threads.exists(thread, database) else {
                    throw StorageError(.conflict, "the thread of proposal \(id) is gone")
                }
                if proposal.kind == .join {
                    let notes = try Self.existing(proposal.parts.flatMap(\.notes), database, layout)
                    guard !notes.isEmpty else { throw Self.notesAreGone(id) }
                    try threads.add(notes, to: thread, database)
                } else {
                    for part in proposal.parts.dropFirst() {
                        // Only notes that are still in the thread move.
                        let notes = try threads.members(
                            of: thread, among: try Self.existing(part.notes, database, layout), database)
                        guard !notes.isEmpty else { continue }
                        try threads.remove(notes, from: thread, database)
                        made.append(try threads.make(part.name, why: proposal.why, summary: nil, notes, database))
                    }
                    guard !made.isEmpty else { throw Self.notesAreGone(id) }
                    try threads.touch(thread, database)
                }
            }
            try database.execute(
                sql: """
                    UPDATE gateway_thread_proposals SET state = 'accepted', name = ?, summary = ?, parts = ?,
                    made_threads = ?, updated_at = ? WHERE id = ?
                    """,
                arguments: [
                    proposal.kind == .new ? name ?? proposal.name : proposal.name, proposal.summary,
                    try proposal.encodedParts, ThreadGroupStore.list(made), Timestamp.milliseconds / 1000, id,
                ])
            proposal = try Self.find(id, database) ?? proposal
            return try Self.shown(proposal, database, layout)
        }
    }

    private static func notesAreGone(_ id: Int64) -> StorageError {
        StorageError(.conflict, "the notes of proposal \(id) are gone or elsewhere")
    }

    private static func find(_ id: Int64, _ database: Database) throws -> StoredThreadProposal? {
        try Row.fetchOne(
            database, sql: "SELECT \(StoredThreadProposal.columns) FROM gateway_thread_proposals WHERE id = ?",
            arguments: [id]
        ).flatMap { StoredThreadProposal($0) }
    }

    /// A proposal with what a model phrased about notes that are still there.
    private static func phrased(
        _ stored: StoredThreadProposal, _ database: Database, _ layout: FileLayout
    ) throws -> StoredThreadProposal {
        guard let phrasing = stored.phrasing else { return stored }
        let cited = Set(phrasing.sentences.flatMap(\.notes)).sorted()
        return stored.phrased(visible: Set(try existing(cited, database, layout)))
    }

    /// The notes that the API returns, in their order.
    private static func existing(_ notes: [Int64], _ database: Database, _ layout: FileLayout) throws -> [Int64] {
        let found = Set(
            try Scalar.integers(
                database,
                sql: """
                    SELECT n.id FROM raw_notes n
                    WHERE n.id IN (SELECT value FROM json_each(?)) AND \(layout.columns.isShown)
                    """, arguments: [ThreadGroupStore.list(notes)]))
        return notes.filter(found.contains)
    }

    /// A proposal with the titles that its notes and its thread have now.
    private static func shown(
        _ stored: StoredThreadProposal, _ database: Database, _ layout: FileLayout
    ) throws -> ThreadProposal {
        let columns = layout.columns
        let stored = try phrased(stored, database, layout)
        var parts: [ThreadProposal.Part] = []
        for part in stored.parts {
            let notes = try existing(part.notes, database, layout)
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT n.id, substr(\(ValueLimit.bounded(columns.raw("title"), 65_536)), 1, 300),
                        \(ValueLimit.bounded(columns.raw("created_at"), 64))
                    FROM raw_notes n WHERE n.id IN (SELECT value FROM json_each(?))
                    """, arguments: [ThreadGroupStore.list(notes.prefix(shownNotes))])
            var titles: [Int64: BriefingNote] = [:]
            for row in rows {
                guard let id = row.integer(0) else { continue }
                titles[id] = BriefingNote(id: id, title: row.text(1) ?? "", createdAt: row.date(2) ?? "")
            }
            parts.append(
                ThreadProposal.Part(
                    name: part.name, count: notes.count,
                    notes: notes.prefix(shownNotes).compactMap { titles[$0] }))
        }
        return ThreadProposal(
            id: stored.id, kind: stored.kind, state: stored.state,
            thread: try stored.thread.flatMap { try reference($0, database, layout) }, name: stored.name,
            summary: stored.summary,
            phrasing: stored.phrasing.map {
                ThreadPhrasing(
                    model: $0.model, isNamed: $0.names != nil, sentences: $0.sentences, withheld: $0.withheld)
            }, why: stored.why, parts: parts, madeThreads: stored.madeThreads,
            createdAt: Timestamp.iso8601(stored.createdAt), updatedAt: Timestamp.iso8601(stored.updatedAt))
    }

    private static func reference(
        _ thread: Int64, _ database: Database, _ layout: FileLayout
    ) throws -> Note.ThreadReference? {
        let threads = layout.schema.threads
        guard threads.names.contains("id") else { return nil }
        return try Row.fetchOne(
            database, sql: "SELECT \(threads.bounded("t", "name", limit: 4096)) FROM threads t WHERE t.id = ?",
            arguments: [thread]
        ).map { Note.ThreadReference(id: thread, name: $0.text(0) ?? "") }
    }
}
