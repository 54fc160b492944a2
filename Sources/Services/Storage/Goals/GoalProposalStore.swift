import GRDB
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

    init(_ row: Row) {
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
        try await tables.database.write { database in
            if let key = proposal.turnKey,
                let known = try Row.fetchOne(
                    database, sql: "SELECT * FROM gateway_goal_proposals WHERE turn_key = ?", arguments: [key])
            {
                return StoredProposal(known)
            }
            try database.execute(
                sql: """
                    INSERT INTO gateway_goal_proposals (id, created_at, expires_at, state, turn_key, body)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    proposal.id, proposal.createdAt, proposal.expiresAt, proposal.state, proposal.turnKey,
                    proposal.body,
                ])
            try database.execute(
                sql: """
                    DELETE FROM gateway_goal_proposals WHERE id IN
                    (SELECT id FROM gateway_goal_proposals ORDER BY created_at DESC, id LIMIT -1 OFFSET ?)
                    """, arguments: [Self.maxProposals])
            return proposal
        }
    }

    /// Returns the proposal of a turn and words; nil before it is made.
    package func find(turnKey: String) async throws -> StoredProposal? {
        try await tables.database.read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM gateway_goal_proposals WHERE turn_key = ?", arguments: [turnKey]
            ).map { StoredProposal($0) }
        }
    }

    /// Returns a proposal.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> StoredProposal {
        try await tables.database.read { try Self.proposal(id, $0) }
    }

    private static func proposal(_ id: String, _ database: Database) throws -> StoredProposal {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM gateway_goal_proposals WHERE \(GoalID.matches("id"))", arguments: [id])
        guard let row else { throw StorageError(.notFound, "there is no proposal \(id)") }
        return StoredProposal(row)
    }

    /// Returns a page of proposals, latest first. `state` may also be `expired`, for open ones whose time is over.
    package func list(
        state: String?, now: Int64, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredProposal> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.database.read { database in
            var conditions = ["(created_at, id) < (?, ?)"]
            var arguments: StatementArguments = [cursor?.numbers[0] ?? .max, cursor?.id ?? ""]
            switch state {
            case "open":
                conditions.append("state = 'open' AND expires_at > ?")
                arguments += [now]
            case "expired":
                conditions.append("state = 'open' AND expires_at <= ?")
                arguments += [now]
            case .some(let state):
                conditions.append("state = ?")
                arguments += [state]
            case nil: break
            }
            arguments += [limit + 1]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM gateway_goal_proposals WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY created_at DESC, id DESC LIMIT ?
                    """, arguments: arguments)
            let found = rows.map { StoredProposal($0) }.map { ($0, PageCursor($0.createdAt, id: $0.id)) }
            return Page(found, limit: limit) { $0.body.utf8.count + 256 }
        }
    }

    /// Sets the state of an open proposal. One that has this state already stays; the body is replaced if given.
    ///
    /// - Throws: ``StorageError/Code/conflict`` for a proposal in another state.
    package func resolve(_ id: String, as state: String, body: String?) async throws -> StoredProposal {
        try await tables.database.write { database in
            let known = try Self.proposal(id, database)
            guard known.state != state else { return known }
            guard known.state == "open" else {
                throw StorageError(.conflict, "the proposal \(id) is \(known.state) already")
            }
            try database.execute(
                sql: "UPDATE gateway_goal_proposals SET state = ?, body = coalesce(?, body) WHERE id = ?",
                arguments: [state, body, known.id])
            return try Self.proposal(known.id, database)
        }
    }
}
