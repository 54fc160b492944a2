import Foundation
import GRDB
import GatewayAPI
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// A store of chat sessions, opened twice as two gateways do.
struct ConversationStage {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// A SQLite file that the gateway made.
        case file
        /// A SQLite file with a column for the number of messages, as another program makes it.
        case otherFile
        case postgres

        var testDescription: String { rawValue }
    }

    let stores: [any GatewayStore]
    let setTime: @Sendable (_ message: Int64, _ seconds: Int64) async throws -> Void
    private let folder: TemporaryFolder?

    var store: any GatewayStore { stores[0] }

    /// Keeps the files until here.
    func end() { withExtendedLifetime(folder) {} }

    /// Returns nil where no PostgreSQL can be started.
    static func make(_ kind: Kind) async throws -> ConversationStage? {
        guard kind == .postgres else { return try ConversationStage(hasCount: kind == .otherFile) }
        guard await PostgresServer.isPossible else { return nil }
        let stage = try await PostgresStage()
        let (first, second) = (stage.store, try PostgresStage.store(stage.uri))
        let setTime = { @Sendable (id: Int64, seconds: Int64) async throws -> Void in
            try await first.write { connection in
                _ = try await connection.run(
                    "UPDATE chat_messages SET created = $2 WHERE id = $1", [.integer(id), .integer(seconds)])
            }
        }
        return ConversationStage(stores: [first, second], setTime: setTime, folder: nil)
    }

    private init(
        stores: [any GatewayStore], setTime: @escaping @Sendable (Int64, Int64) async throws -> Void,
        folder: TemporaryFolder?
    ) {
        (self.stores, self.setTime, self.folder) = (stores, setTime, folder)
    }

    private init(hasCount: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let first = try GatewayDatabase(path: path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        if hasCount {
            try queue.write { try $0.execute(sql: "ALTER TABLE chat_sessions ADD COLUMN message_count INTEGER") }
        }
        self.init(
            stores: [first, try GatewayDatabase(path: path)],
            setTime: { id, seconds in
                try await queue.write {
                    try $0.execute(
                        sql: "UPDATE conversations SET created_at = ? WHERE id = ?",
                        arguments: [Timestamp.text(seconds), id])
                }
            }, folder: folder)
    }
}
