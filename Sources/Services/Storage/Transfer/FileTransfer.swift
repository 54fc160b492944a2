import Foundation
import GRDB
package import KeyRoom

/// Moves notes out of an SQLite file, and into one.
package struct FileTransfer: TransferSide {
    /// The notes and bytes of text after which a page ends.
    static let (mostNotes, mostBytes) = (256, 8 << 20)
    /// The changes that are read at once.
    static let mostChanges = 2000
    /// pgvector has no longer vectors.
    static let mostDimensions = 16_000
    package static let stateKey = "migration"

    let database: GatewayDatabase
    /// The rows of ``ingests(after:)``.
    package var mostIngests = 2000

    package init(_ database: GatewayDatabase) { self.database = database }

    package var title: String { database.path }

    package func identity() async throws -> String { try await database.changes.identity() }

    package func noteCount() async throws -> Int {
        try await database.read { database, layout in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM raw_notes n WHERE \(layout.columns.notes.hasNumber("n"))") ?? 0
        }
    }

    package func lastNote() async throws -> Int64? {
        try await database.read { database, layout in
            try Scalar.integer(
                database, sql: "SELECT max(id) FROM raw_notes n WHERE \(layout.columns.notes.hasNumber("n"))")
        }
    }

    package var keys: KeyRoom { database.keys }

    package var conversations: any ConversationTransfer { FileConversations(database: database) }

    package var rooms: RoomTransfer { RoomTransfer(database, states: "gateway_meta") }

    // MARK: Spaces and threads

    package func transferSpaces() async throws -> TransferSpaces {
        try await database.read { database in
            let stored = try Self.spaces(database)
            func named(_ key: String) throws -> EmbeddingSpace? {
                let id = try MetaTable.text(key, in: database).flatMap(SpaceID.init)
                return stored.first { $0.id == id }?.space
            }
            return TransferSpaces(
                all: stored.map(\.space), active: try named("active_space"), previous: try named("previous_space"))
        }
    }

    /// The spaces whose vectors PostgreSQL can hold.
    static func spaces(_ database: Database) throws -> [StoredSpace] {
        try Row.fetchAll(database, sql: "SELECT * FROM gateway_spaces ORDER BY id").compactMap { StoredSpace($0) }
            .filter { $0.space.dimensions <= mostDimensions }
    }

    package func threadRecords() async throws -> [ThreadRecord] {
        try await database.read { database, layout in
            guard layout.columns.threads.isSuperset(of: ["id", "name"]) else { return [] }
            let others = layout.columns.threads.subtracting(["id", "name"]).sorted()
            let columns = (["name"] + others).enumerated().map { place, name in
                "\(ValueLimit.bounded("t.\(name.quotedDatabaseIdentifier)")) AS c\(place)"
            }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT t.id AS id, \(columns.joined(separator: ", ")) FROM threads t
                    WHERE typeof(t.id) = 'integer' ORDER BY t.id
                    """)
            var found: [ThreadRecord] = []
            while let row = try rows.next() {
                guard let id = row.integer("id"), found.last?.id != id else { continue }
                var extra: [String: ExtraColumns.Cell] = [:]
                for (place, name) in others.enumerated() {
                    let cell = ExtraColumns.Cell(row.raw("c\(place + 1)"))
                    if cell != .null { extra[name] = cell }
                }
                if let odd = ExtraColumns.Cell(row.raw("c0")).odd { extra["name"] = odd }
                found.append(
                    ThreadRecord(
                        id: id, name: NoteRecord.clean(row.text("c0") ?? ""),
                        extra: extra.isEmpty ? nil : ExtraColumns.encode(extra)))
            }
            return found
        }
    }

    // MARK: Notes

    package func page(after id: Int64?, through last: Int64?) async throws -> TransferPage {
        guard let range = FileConversations.range(after: id, through: last) else {
            return TransferPage(notes: [], last: nil, remarks: [])
        }
        return try await database.read { database, layout in
            // Finds the end of the page before texts are loaded.
            let content = layout.columns.raw("content")
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT n.id AS id, length(CAST(\(content) AS BLOB)) AS size FROM raw_notes n
                    WHERE n.id BETWEEN ? AND ? AND \(layout.columns.notes.hasNumber("n")) ORDER BY n.id LIMIT ?
                    """, arguments: [range.first, range.last, Self.mostNotes])
            var (end, bytes) = (Int64?.none, 0)
            while bytes < Self.mostBytes, let row = try rows.next() {
                end = row.integer("id") ?? end
                bytes += min(row.count("size"), ValueLimit.text)
            }
            guard let end else { return TransferPage(notes: [], last: nil, remarks: []) }
            var reading = FileTransferReading(layout)
            let notes = try reading.notes(database, range.first...end)
            return TransferPage(notes: notes, last: end, remarks: reading.remarks)
        }
    }

    package func transferNotes(_ ids: [Int64]) async throws -> [TransferNote] {
        guard !ids.isEmpty else { return [] }
        return try await database.read { database, layout in
            var reading = FileTransferReading(layout)
            return try ids.sorted().flatMap { try reading.notes(database, $0...$0) }
        }
    }

    // MARK: Changes

    package func endOfChanges() async throws -> String {
        String(try await database.changes.changeState().cursor.position)
    }

    package func changedNotes(after position: String) async throws -> TransferChanges {
        // Repairs triggers that another program dropped; the log is cut then.
        _ = try await database.changes.changeState()
        let start = Int64(position) ?? -1
        return try await database.read { database in
            let first = try Scalar.integer(database, sql: "SELECT min(seq) FROM gateway_changes")
            let end =
                try Scalar.integer(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_changes'") ?? 0
            guard start >= 0, start <= end, start == end || (first ?? .max) <= start + 1 else {
                return TransferChanges(ids: [], position: String(end), isComplete: false, isAtEnd: true)
            }
            let rows = try Row.fetchAll(
                database, sql: "SELECT seq, note_id FROM gateway_changes WHERE seq > ? ORDER BY seq LIMIT ?",
                arguments: [start, Self.mostChanges])
            return TransferChanges(
                ids: Set(rows.compactMap { $0.integer("note_id") }),
                position: String(rows.last?.integer("seq") ?? start), isComplete: true,
                isAtEnd: rows.count < Self.mostChanges)
        }
    }
}

extension ExtraColumns.Cell {
    /// The value as SQLite stores it.
    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): .integer(number)
            case .double(let number): .real(number)
            case .string(let text): .text(text)
            case .blob(let data): .blob(data)
            }
    }

    /// The value for a statement.
    var value: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let data): data.databaseValue
        }
    }

    /// The value if reading it as a text changes it; nil for NULL and for plain texts.
    var odd: Self? {
        switch self {
        case .null: nil
        case .text(let text): text.utf8.contains(0) ? self : nil
        default: self
        }
    }
}
