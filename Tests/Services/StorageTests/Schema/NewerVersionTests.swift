import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import Testing

@testable import Storage

/// Databases of later versions.
@Suite struct NewerVersions {
    @Test func `a database that a newer version wrote is refused by name, and not touched`() async throws {
        let file = try TemporaryDatabase()
        try file.open().close()
        let raw = try DatabaseQueue(path: file.path)
        try await raw.write { database in
            try database.execute(
                sql: """
                    INSERT INTO grdb_migrations VALUES ('gateway-99-future');
                    UPDATE gateway_meta SET value = '9.9.9' WHERE key = 'written_by';
                    """)
        }
        let error = #expect(throws: StorageError.self) { try file.open() }
        #expect(error?.code == .newerVersion)
        #expect(error?.message.contains("selene 9.9.9") == true)
        #expect(error?.message.contains(GatewayVersion.current) == true)
        let kept = try await raw.read {
            try String.fetchOne($0, sql: "SELECT value FROM gateway_meta WHERE key = 'written_by'")
        }
        #expect(kept == "9.9.9")
        try await raw.write { try $0.execute(sql: "DELETE FROM gateway_meta") }
        #expect(throws: StorageError.self) { try file.open() }
        try raw.close()
    }

    @Test func `migrations of the other program are its own affair`() async throws {
        let file = try TemporaryDatabase()
        try file.open().close()
        let raw = try DatabaseQueue(path: file.path)
        try await raw.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v12-journal')") }
        let database = try file.open()
        let writer = try await raw.read { try WriterVersion.last($0) }
        #expect(writer == GatewayVersion.current)
        try await raw.write { try $0.execute(sql: "DROP TRIGGER gateway_note_in") }
        #expect(try await database.inspectTriggers().missing == ["gateway_note_in"])
        try database.close()
        try raw.close()
    }
}
