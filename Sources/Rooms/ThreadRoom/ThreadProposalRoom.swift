package import Database
package import GatewayAPI

extension SQLStore {
    /// The proposals for threads.
    package var threadProposals: ThreadProposalRoom { ThreadProposalRoom(store: self) }
}

/// Stores proposals for threads, and carries out those that a person accepts.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct ThreadProposalRoom: Sendable {
    let store: any SQLStore

    /// The most proposals that are open at once.
    package static let maxOpen = 200
    /// Proposals that a person has decided and that are kept.
    static let maxDecided = 2000
    /// Notes of a part that a list has.
    static let shownNotes = 20

    // MARK: What runs read and write

    /// Returns proposals of a state, oldest first.
    package func stored(_ state: ThreadProposal.State) async throws -> [StoredThreadProposal] {
        try await store.snapshot { session in
            try Self.fetch(
                session, "state = $1 ORDER BY id DESC LIMIT $2", [.text(state.rawValue), .count(Self.maxDecided)]
            ).reversed()
        }
    }

    /// Returns open proposals of a kind that were made at a time or later, newest first.
    package func open(
        _ kind: ThreadProposal.Kind, since: Int64, limit: Int
    ) async throws -> [StoredThreadProposal] {
        guard limit > 0 else { return [] }
        return try await store.snapshot { session in
            try Self.fetch(
                session, "state = 'open' AND kind = $1 AND created_at >= $2 ORDER BY id DESC LIMIT $3",
                [.text(kind.rawValue), .integer(since), .count(limit)])
        }
    }

    /// - Parameter condition: SQL after WHERE.
    static func fetch(
        _ session: any SQLSession, _ condition: String, _ values: [SQLValue]
    ) throws -> [StoredThreadProposal] {
        try session.rows(
            "SELECT \(StoredThreadProposal.columns(session.dialect)) FROM gateway_thread_proposals WHERE \(condition)",
            values
        ).compactMap { StoredThreadProposal($0) }
    }

    /// Adds, changes and withdraws open proposals in one transaction. A proposal that a person has decided meanwhile stays.
    ///
    /// - Parameters:
    ///   - kept: New proposals with the id 0, and changed ones.
    ///   - withdrawn: Ids of open proposals that no longer hold.
    ///   - now: The current time in seconds since 1970.
    package func update(_ kept: [StoredThreadProposal], withdrawn: [Int64], now: Int64) async throws {
        guard !kept.isEmpty || !withdrawn.isEmpty else { return }
        try await store.transaction { session in
            for id in withdrawn {
                try session.run(
                    "DELETE FROM gateway_thread_proposals WHERE id = $1 AND state = 'open'", [.integer(id)])
            }
            for proposal in kept where proposal.id != 0 {
                try session.run(
                    """
                    UPDATE gateway_thread_proposals SET name = $1, summary = $2, why = $3, parts = $4, phrasing = NULL,
                    updated_at = $5 WHERE id = $6 AND state = 'open'
                    """,
                    [
                        .text(proposal.name), .text(proposal.summary), .text(proposal.why),
                        .text(try proposal.encodedParts), .integer(now), .integer(proposal.id),
                    ])
            }
            for proposal in kept where proposal.id == 0 {
                try session.run(
                    """
                    INSERT INTO gateway_thread_proposals
                    (kind, state, thread_id, name, summary, why, parts, created_at, updated_at)
                    VALUES ($1, 'open', $2, $3, $4, $5, $6, $7, $7)
                    """,
                    [
                        .text(proposal.kind.rawValue), .integer(proposal.thread), .text(proposal.name),
                        .text(proposal.summary), .text(proposal.why), .text(try proposal.encodedParts), .integer(now),
                    ])
            }
            try session.run(
                """
                DELETE FROM gateway_thread_proposals WHERE state <> 'open' AND id NOT IN
                (SELECT id FROM gateway_thread_proposals WHERE state <> 'open' ORDER BY id DESC LIMIT $1)
                """, [.count(Self.maxDecided)])
        }
    }

    /// Keeps what a model phrased about an open proposal, unless its parts have changed meanwhile.
    ///
    /// - Parameter phrasing: nil for none.
    package func keep(_ phrasing: StoredPhrasing?, of proposal: StoredThreadProposal, now: Int64) async throws {
        let (text, parts) = (try phrasing?.encoded, try proposal.encodedParts)
        try await store.run(
            """
            UPDATE gateway_thread_proposals SET phrasing = $1, updated_at = $2
            WHERE id = $3 AND state = 'open' AND parts = $4 AND NOT phrasing \(store.dialect.isSame) $1
            """, [.text(text), .integer(now), .integer(proposal.id), .text(parts)])
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
        return try await store.snapshot { session in
            let keys = try session.rows(
                """
                SELECT id FROM gateway_thread_proposals WHERE ($1 IS NULL OR state = $1) AND id < $2
                ORDER BY id DESC LIMIT $3
                """, [.text(state?.rawValue), .integer(cursor?.numbers[0] ?? .max), .count(limit + 1)]
            ).compactMap { row in row.integer(0).map { (key: $0, cursor: PageCursor($0)) } }
            return try Page(keys, limit: limit, bytes: { $0.parts.count * 4096 + 1024 }) { id in
                try Self.find(id, session).map { try Self.shown($0, session) }
            }
        }
    }

    /// Returns a proposal; nil when there is none.
    package func find(_ id: Int64) async throws -> ThreadProposal? {
        try await store.snapshot { session in try Self.find(id, session).map { try Self.shown($0, session) } }
    }

    /// Declines an open proposal: it is not proposed again. One that is declined stays so.
    ///
    /// - Returns: The proposal; nil when there is none.
    /// - Throws: ``StorageError/Code/conflict`` when it was accepted.
    package func decline(_ id: Int64) async throws -> ThreadProposal? {
        try await store.transaction { session in
            guard var proposal = try Self.find(id, session, locks: true) else { return nil }
            guard proposal.state != .accepted else {
                throw StorageError(.conflict, "proposal \(id) was accepted")
            }
            proposal.state = .declined
            try session.run(
                "UPDATE gateway_thread_proposals SET state = 'declined', updated_at = $1 WHERE id = $2 AND state = 'open'",
                [.integer(try session.clock().now / 1000), .integer(id)])
            return try Self.shown(proposal, session)
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
        try await store.transaction { session in
            guard var proposal = try Self.find(id, session, locks: true) else { return nil }
            if proposal.state == .accepted { return try Self.shown(proposal, session) }
            guard proposal.state == .open else { throw StorageError(.conflict, "proposal \(id) was declined") }
            proposal = try Self.phrased(proposal, session)
            let made = try Self.carryOut(proposal, name, session)
            try session.run(
                """
                UPDATE gateway_thread_proposals SET state = 'accepted', name = $1, summary = $2, parts = $3,
                made_threads = $4, updated_at = $5 WHERE id = $6
                """,
                [
                    .text(proposal.kind == .new ? name ?? proposal.name : proposal.name), .text(proposal.summary),
                    .text(try proposal.encodedParts), .numbers(made), .integer(try session.clock().now / 1000),
                    .integer(id),
                ])
            return try Self.shown(try Self.find(id, session) ?? proposal, session)
        }
    }

    /// Returns the threads that it made.
    private static func carryOut(
        _ proposal: StoredThreadProposal, _ name: String?, _ session: any SQLSession
    ) throws -> [Int64] {
        let tables = try session.noteTables()
        let gone = StorageError(.conflict, "the notes of proposal \(proposal.id) are gone or elsewhere")
        func existing(_ notes: [Int64]) throws -> [Int64] {
            let notes = try Self.existing(notes, session)
            guard !notes.isEmpty else { throw gone }
            return notes
        }
        if proposal.kind == .new {
            return [
                try tables.makeThread(
                    name ?? proposal.name, why: proposal.why, summary: proposal.summary,
                    try existing(proposal.parts.flatMap(\.notes)))
            ]
        }
        guard let thread = proposal.thread, try reference(thread, session) != nil else {
            throw StorageError(.conflict, "the thread of proposal \(proposal.id) is gone")
        }
        if proposal.kind == .join {
            try tables.add(try existing(proposal.parts.flatMap(\.notes)), to: thread)
            return []
        }
        var made: [Int64] = []
        for part in proposal.parts.dropFirst() {
            // Only notes that are still in the thread move.
            let notes = try members(of: thread, among: try Self.existing(part.notes, session), session)
            guard !notes.isEmpty else { continue }
            try tables.remove(notes, from: thread)
            made.append(try tables.makeThread(part.name, why: proposal.why, summary: nil, notes))
        }
        guard !made.isEmpty else { throw gone }
        return made
    }

    private static func find(
        _ id: Int64, _ session: any SQLSession, locks: Bool = false
    ) throws -> StoredThreadProposal? {
        try fetch(session, "id = $1\(locks ? session.dialect.locksRows : "")", [.integer(id)]).first
    }

    /// A proposal with what a model phrased about notes that are still there.
    private static func phrased(
        _ stored: StoredThreadProposal, _ session: any SQLSession
    ) throws -> StoredThreadProposal {
        guard let phrasing = stored.phrasing else { return stored }
        let cited = Set(phrasing.sentences.flatMap(\.notes)).sorted()
        return stored.phrased(visible: Set(try existing(cited, session)))
    }

    /// The notes that the API returns, in their order.
    private static func existing(_ notes: [Int64], _ session: any SQLSession) throws -> [Int64] {
        let found = try session.rows(
            "SELECT n.id FROM \(try session.noteTables().notes) n WHERE n.id IN \(session.dialect.numbers("$1"))",
            [.numbers(notes)])
        let known = Set(found.compactMap { $0.integer(0) })
        return notes.filter(known.contains)
    }

    /// Those of some notes that are in a thread, in their order.
    private static func members(
        of thread: Int64, among notes: [Int64], _ session: any SQLSession
    ) throws -> [Int64] {
        let found = try session.rows(
            "SELECT m.note_id FROM \(try session.noteTables().members) m WHERE m.thread_id = $1", [.integer(thread)])
        let known = Set(found.compactMap { $0.integer(0) })
        return notes.filter(known.contains)
    }

    /// A proposal with the titles that its notes and its thread have now.
    private static func shown(_ stored: StoredThreadProposal, _ session: any SQLSession) throws -> ThreadProposal {
        let words = session.dialect
        let stored = try phrased(stored, session)
        var parts: [ThreadProposal.Part] = []
        for part in stored.parts {
            let notes = try existing(part.notes, session)
            let rows = try session.rows(
                """
                SELECT n.id, substr(\(words.bounded("n.title", 65_536)), 1, 300), \(words.bounded("n.created_at", 64))
                FROM \(try session.noteTables().notes) n WHERE n.id IN \(words.numbers("$1"))
                """, [.numbers(notes.prefix(shownNotes))])
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
            thread: try stored.thread.flatMap { try reference($0, session) }, name: stored.name,
            summary: stored.summary,
            phrasing: stored.phrasing.map {
                ThreadPhrasing(
                    model: $0.model, isNamed: $0.names != nil, sentences: $0.sentences, withheld: $0.withheld)
            }, why: stored.why, parts: parts, madeThreads: stored.madeThreads,
            createdAt: Timestamp.iso8601(stored.createdAt), updatedAt: Timestamp.iso8601(stored.updatedAt))
    }

    /// A thread with its name; nil when there is none.
    private static func reference(_ thread: Int64, _ session: any SQLSession) throws -> Note.ThreadReference? {
        try session.first(
            """
            SELECT \(session.dialect.bounded("t.name", 4096)) FROM \(try session.noteTables().threads) t WHERE t.id = $1
            """, [.integer(thread)]
        ).map { Note.ThreadReference(id: thread, name: $0.text(0) ?? "") }
    }
}
