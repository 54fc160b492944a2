package import Database
import PromptRoom

/// The tables of rooms in a store, for a migration.
package struct RoomTransfer: Sendable {
    /// The tables that move, each after those that its rows refer to.
    package static let tables: [RoomTable] = PromptRoom.tables

    /// What they hold, for messages.
    package static let subjects = "prompts and benchmarks"

    let store: any SQLStore
    /// The table in which a migration keeps its state under ``FileTransfer/stateKey``.
    let states: String

    package init(_ store: any SQLStore, states: String) { (self.store, self.states) = (store, states) }

    /// The rows of a table.
    package func rows(of table: RoomTable) async throws -> any TransferTable<RoomRow> {
        let columns = try await store.rows(store.dialect.columns, [.text(table.name)]).compactMap { row in
            row.text(0).map { SQLColumn(name: $0, type: row.text(1) ?? "") }
        }
        guard Set(columns.map(\.name)).isSuperset(of: table.key) else {
            throw StorageError(.schema, "the table \(table.name) lacks columns that its rows need")
        }
        return RoomRows(store: store, table: table, columns: columns, states: states)
    }

    /// The tables that have rows, with their number.
    package func counts() async throws -> [(table: String, count: Int)] {
        try await store.snapshot { session in
            try Self.tables.compactMap { table in
                let count = try session.first("SELECT count(*) FROM \(table.name)")?.count(0) ?? 0
                return count > 0 ? (table.name, count) : nil
            }
        }
    }

    /// The highest number that a row ever had; nil for a table that does not number its rows, and for one without rows.
    package func lastNumber(of table: RoomTable) async throws -> Int64? {
        guard table.isNumbered, let id = table.key.first else { return nil }
        return try await store.rows(store.dialect.lastNumber(of: table.name, id), []).first?.integer(0)
    }

    /// Makes new rows get higher numbers.
    package func reserve(_ number: Int64, of table: RoomTable) async throws {
        guard table.isNumbered, let id = table.key.first else { return }
        try await store.transaction { session in
            _ = try session.rows(session.dialect.numbersRows(of: table.name, id), [.integer(number)])
        }
    }
}

extension TransferState {
    /// Locks the state of a store's migration until the end of the transaction.
    ///
    /// - Parameter states: See ``RoomTransfer/states``.
    /// - Throws: ``StorageError/Code/conflict`` when another run has taken over.
    func check(in states: String, _ session: any SQLSession) throws {
        let stored = try session.first(
            "SELECT value FROM \(states) WHERE key = $1\(session.dialect.locksRows)", [.text(FileTransfer.stateKey)])
        guard TransferState(stored?.text(0))?.run == run else {
            throw StorageError(.conflict, "another migration into this store has begun; this one ends")
        }
    }
}
