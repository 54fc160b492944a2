import AssociationRoom
import AuditRoom
import BookRoom
import BriefingRoom
import ChatRoom
package import Database
import GoalRoom
import JobRoom
import PromptRoom
import PushRoom
import SourceRoom
import TaskRoom
import ThreadRoom

/// The tables of rooms in a store, for a migration.
package struct RoomTransfer: Sendable {
    /// The tables that move, each after those that its rows refer to.
    package static let tables: [RoomTable] =
        AnswerRoom.tables + MemoryRoom.tables + PromptRoom.tables + JobRoom.tables + BookRoom.tables + GoalRoom.tables
        + PushRoom.tables
        + TaskRoom.tables
        + AssociationRoom.tables + ThreadGroupRoom.tables + BriefingRoom.tables + AuditRoom.tables
        + SourceRoom.tables

    /// What they hold, for messages.
    package static let subjects =
        "answers, prompts, benchmarks, books, goals, notifications, tasks, pairs, proposals, briefings, the audit and sources"

    let store: any SQLStore
    /// The table in which a migration keeps its state under ``FileTransfer/stateKey``.
    let states: String

    package init(_ store: any SQLStore, states: String) { (self.store, self.states) = (store, states) }

    /// The rows of a table; nil when the store cannot have it.
    ///
    /// - Parameter space: Only the rows of this space, for a table with vectors.
    package func rows(of table: RoomTable, in space: EmbeddingSpace? = nil) async throws -> (
        any TransferTable<RoomRow>
    )? {
        let keys = table.keys.isEmpty ? KeyNumbers() : try await KeyNumbers(store)
        return try await store.snapshot { session in
            let number = try table.space.map { _ in try space.map { try Self.number(of: $0, session) } ?? 0 }
            return try rows(of: table, session, in: number, keys)
        }
    }

    private func rows(
        of table: RoomTable, _ session: any SQLSession, in space: Int64? = nil, _ keys: KeyNumbers = KeyNumbers()
    ) throws -> RoomRows? {
        guard try table.isUsable?(session) ?? true else { return nil }
        let columns = try table.view?.columns ?? Self.columns(of: table.name, session)
        guard Set(columns.map(\.name)).isSuperset(of: table.key) else { return nil }
        return RoomRows(store: store, table: table, columns: columns, space: space, keys: keys, states: states)
    }

    private static func columns(of table: String, _ session: any SQLSession) throws -> [SQLColumn] {
        try session.rows(session.dialect.columns, [.text(table)]).compactMap { row in
            row.text(0).map { SQLColumn(name: $0, type: row.text(1) ?? "", isRequired: row.bool(2)) }
        }
    }

    /// The number of a space in the store; 0 for one that it lacks.
    private static func number(of space: EmbeddingSpace, _ session: any SQLSession) throws -> Int64 {
        try session.first(
            """
            SELECT id FROM \(session.dialect.spaces) WHERE model = $1 AND digest = $2 AND dimensions = $3
            AND query_prefix = $4 AND document_prefix = $5 AND chunker_version = $6
            """,
            [
                .text(space.model), .text(space.digest), .count(space.dimensions), .text(space.queryPrefix),
                .text(space.documentPrefix), .count(space.chunkerVersion),
            ])?.integer(0) ?? 0
    }

    /// The tables that have rows that move, with their number.
    package func counts() async throws -> [(table: RoomTable, count: Int)] {
        try await store.snapshot { session in
            try Self.tables.compactMap { table in
                let count = try rows(of: table, session)?.count(session) ?? 0
                return count > 0 ? (table, count) : nil
            }
        }
    }

    /// What the tables hold that does not move to another store.
    func leftBehind(in other: RoomTransfer) async throws -> [TransferRemark] {
        let known = try await other.store.snapshot { session in
            try Self.tables.map { table in
                try other.rows(of: table, session).map { table.view?.known ?? Set($0.columns.map(\.name)) }
            }
        }
        return try await store.snapshot { session in
            try zip(Self.tables, known).flatMap { try leftBehind(of: $0, $1, session) }
        }
    }

    /// - Parameter known: The columns of the other store; nil when it cannot have the table.
    private func leftBehind(
        of table: RoomTable, _ known: Set<String>?, _ session: any SQLSession
    ) throws -> [TransferRemark] {
        guard let name = table.tables(in: session.dialect).first, let rows = try rows(of: table, session) else {
            return []
        }
        let own = try Self.columns(of: name, session).map(\.name)
        guard !own.isEmpty else { return [] }
        func count(_ sql: String) throws -> Int { try session.first("SELECT count(*) FROM \(sql)")?.count(0) ?? 0 }
        var found = [TransferRemark(name, try count(name), "rows stay; the other store has no place for them")]
        if let known {
            found[0].count -= try rows.count(session)
            found[0].text = table.rest
            // A server's columns for a view are its own.
            for column in own
            where !known.contains(column) && !table.without.contains(column)
                && (table.view == nil || session.dialect == .sqlite)
            {
                let values = try count("\(name) WHERE \(column.quotedSQL) IS NOT NULL")
                found.append(TransferRemark("\(name).\(column)", values, "values of this column stay"))
            }
        }
        return found.filter { $0.count > 0 }
    }

    /// The tables of the store whose rows move.
    func moved(_ session: any SQLSession) throws -> Set<String> {
        Set(try Self.tables.filter { try rows(of: $0, session) != nil }.flatMap { $0.tables(in: session.dialect) })
    }

    /// The highest number that a row ever had; nil for a table that does not number its rows, and for one without rows.
    package func lastNumber(of table: RoomTable) async throws -> Int64? {
        try await store.snapshot { session in
            guard let (name, id) = try number(of: table, session) else { return nil }
            return try session.first(session.dialect.lastNumber(of: name, id))?.integer(0)
        }
    }

    /// Makes new rows get higher numbers than one, and than those of the rows.
    package func reserve(_ number: Int64?, of table: RoomTable) async throws {
        guard number != nil || store.dialect == .postgres else { return }
        try await store.transaction { session in
            guard let (name, id) = try self.number(of: table, session) else { return }
            _ = try session.rows(session.dialect.numbersRows(of: name, id), [.integer(number)])
        }
    }

    /// The table and column that numbers the rows of a table; nil for none.
    private func number(of table: RoomTable, _ session: any SQLSession) throws -> (table: String, column: String)? {
        guard table.isNumbered, let id = table.key.first, let name = table.tables(in: session.dialect).first,
            try !Self.columns(of: name, session).isEmpty
        else { return nil }
        return (name, table.view != nil && session.dialect == .sqlite ? "rowid" : id)
    }
}

extension TransferState {
    /// Locks the state of a store's migration until the end of the transaction.
    ///
    /// - Parameter states: See ``RoomTransfer/states``.
    /// - Throws: ``StorageError/Code/conflict`` when another run has taken over.
    package func check(in states: String, _ session: any SQLSession) throws {
        let stored = try session.first(
            "SELECT value FROM \(states) WHERE key = $1\(session.dialect.locksRows)", [.text(FileTransfer.stateKey)])
        guard TransferState(stored?.text(0))?.run == run else {
            throw StorageError(.conflict, "another migration into this store has begun; this one ends")
        }
    }
}
