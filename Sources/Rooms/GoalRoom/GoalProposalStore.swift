package import Database
package import GatewayAPI

package struct StoredProposal: Sendable, Hashable {
    /// The UUID.
    package var id: String
    /// When it was made, in milliseconds since 1970.
    package var createdAt: Int64
    /// When it can no longer be confirmed, in milliseconds since 1970.
    package var expiresAt: Int64
    /// `open`, `confirmed` or `rejected`.
    package var state: String
    /// Makes the same words of the same turn the same proposal.
    package var turnKey: String?
    /// What it would do, as JSON.
    package var body: String

    package init(id: String, createdAt: Int64, expiresAt: Int64, state: String, turnKey: String?, body: String) {
        self.id = id
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.state = state
        self.turnKey = turnKey
        self.body = body
    }

    fileprivate static let columns = GoalColumns(["id", "created_at", "expires_at", "state", "turn_key", "body"])

    fileprivate init(_ row: GoalRow) {
        self.init(
            id: row.text("id") ?? "", createdAt: row.integer("created_at") ?? 0,
            expiresAt: row.integer("expires_at") ?? 0, state: row.text("state") ?? "rejected",
            turnKey: row.text("turn_key"), body: row.text("body") ?? "")
    }
}

/// Changes that wait for a person.
package struct GoalProposalStore: Sendable {
    let tables: GoalTables

    /// Proposals that are kept; the oldest go first.
    static let maxProposals = 2000

    /// Stores a proposal. One of the same turn and words is returned instead.
    package func add(_ proposal: StoredProposal) async throws -> StoredProposal {
        try await tables.store.transaction { session in
            try session.lock(GoalTables.lock)
            if let key = proposal.turnKey, let known = try Self.proposal(turnKey: key, session) { return known }
            try session.run(
                """
                INSERT INTO gateway_goal_proposals (id, created_at, expires_at, state, turn_key, body)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .text(proposal.id), .integer(proposal.createdAt), .integer(proposal.expiresAt),
                    .text(proposal.state), .text(proposal.turnKey), .text(proposal.body),
                ])
            try session.run(
                """
                DELETE FROM gateway_goal_proposals WHERE id NOT IN
                (SELECT id FROM gateway_goal_proposals ORDER BY created_at DESC, id LIMIT $1)
                """, [.count(Self.maxProposals)])
            return proposal
        }
    }

    /// Returns the proposal of a turn and words; nil before it is made.
    package func find(turnKey: String) async throws -> StoredProposal? {
        try await tables.store.snapshot { try Self.proposal(turnKey: turnKey, $0) }
    }

    private static func proposal(turnKey: String, _ session: any SQLSession) throws -> StoredProposal? {
        try session.first(
            StoredProposal.columns, "FROM gateway_goal_proposals WHERE turn_key = $1", [.text(turnKey)]
        ).map { StoredProposal($0) }
    }

    /// Returns a proposal.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> StoredProposal {
        try await tables.store.snapshot { try Self.proposal(id, $0) }
    }

    private static func proposal(_ id: String, _ session: any SQLSession) throws -> StoredProposal {
        let row = try session.first(
            StoredProposal.columns, "FROM gateway_goal_proposals WHERE \(GoalID.matches("id"))", [.text(id)])
        guard let row else { throw StorageError(.notFound, "there is no proposal \(id)") }
        return StoredProposal(row)
    }

    /// Returns a page of proposals, latest first. `state` may also be `expired`, for open ones whose time is over.
    package func list(
        state: String?, now: Int64, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredProposal> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.store.snapshot { session in
            var parameters = SQLParameters()
            let latest = (parameters.add(.integer(cursor?.numbers[0] ?? .max)), parameters.add(cursor?.id ?? ""))
            var conditions = ["(created_at, id) < (\(latest.0), \(latest.1))"]
            switch state {
            case "open": conditions.append("state = 'open' AND expires_at > \(parameters.add(.integer(now)))")
            case "expired": conditions.append("state = 'open' AND expires_at <= \(parameters.add(.integer(now)))")
            case .some(let state): conditions.append("state = \(parameters.add(state))")
            case nil: break
            }
            let rows = try session.rows(
                StoredProposal.columns,
                """
                FROM gateway_goal_proposals WHERE \(conditions.joined(separator: " AND "))
                ORDER BY created_at DESC, id DESC LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = rows.map { StoredProposal($0) }.map { ($0, PageCursor($0.createdAt, id: $0.id)) }
            return Page(found, limit: limit) { $0.body.utf8.count + 256 }
        }
    }

    /// Sets the state of an open proposal. One that has this state already stays; the body is replaced if given.
    ///
    /// - Throws: ``StorageError/Code/conflict`` for a proposal in another state.
    package func resolve(_ id: String, as state: String, body: String?) async throws -> StoredProposal {
        try await tables.store.transaction { session in
            try session.lock(GoalTables.lock)
            let known = try Self.proposal(id, session)
            guard known.state != state else { return known }
            guard known.state == "open" else {
                throw StorageError(.conflict, "the proposal \(id) is \(known.state) already")
            }
            try session.run(
                "UPDATE gateway_goal_proposals SET state = $1, body = coalesce($2, body) WHERE id = $3",
                [.text(state), .text(body), .text(known.id)])
            return try Self.proposal(known.id, session)
        }
    }
}
