package import GatewayAPI
package import Storage

/// The answers that all gateways on the database share.
package struct PostgresChats: ChatRecords {
    let store: PostgresStore

    package var runs: any ChatRunRecords { PostgresChatRuns(store) }
    package var summaries: any SummaryRecords { PostgresSummaries(store: store) }

    package func session(_ id: String) async throws -> Session? { try await store.sessions.find(id) }

    /// Subjects are known of memories that a chat found, and chats find none here. So only pinned ones stand.
    package func standingMemories(keys: [String], limit: Int) async throws -> [Memory]? {
        let rows = try await store.rows(
            """
            SELECT \(PostgresMemories.columns) FROM memories m WHERE m.is_pinned ORDER BY m.id DESC LIMIT $1
            """, [.integer(Int64(limit))])
        guard rows.count == 0 else { return rows.indices.compactMap { PostgresMemories.memory(rows, $0) } }
        let any = try await store.rows("SELECT 1 FROM memories LIMIT 1")
        return any.count > 0 ? [] : nil
    }
}
