import Database
import GatewayAPI
package import Storage
import TestSupport
import Testing

/// A store of chat sessions, opened twice as two gateways do.
package struct ConversationStage: Sendable {
    package enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// A SQLite file that the gateway made.
        case file
        /// A SQLite file with a column for the number of messages, as another program makes it.
        case otherFile
        case postgres

        package var testDescription: String { rawValue }
    }

    private let stage: StoreStage

    package var stores: [any GatewayStore] { stage.stores }
    package var store: any GatewayStore { stage.store }

    /// Keeps the files until here.
    package func end() { withExtendedLifetime(stage) {} }

    /// Returns nil where no PostgreSQL can be started.
    package static func make(_ kind: Kind) async throws -> ConversationStage? {
        guard let stage = try await StoreStage(kind == .postgres ? .postgres : .file) else { return nil }
        if kind == .otherFile {
            try await stage.store.run("ALTER TABLE chat_sessions ADD COLUMN message_count INTEGER", [])
        }
        return ConversationStage(stage: stage)
    }

    /// Sets when a message was stored, in seconds since 1970.
    package func setTime(_ message: Int64, _ seconds: Int64) async throws {
        switch store.dialect {
        case .sqlite:
            try await store.run(
                "UPDATE conversations SET created_at = $1 WHERE id = $2",
                [.text(Timestamp.text(seconds)), .integer(message)])
        case .postgres:
            try await store.run(
                "UPDATE chat_messages SET created = $1 WHERE id = $2", [.integer(seconds), .integer(message)])
        }
    }
}
