import GRDB
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// A server that stops closes its database while reads of others may still be on their way.
@Suite struct ClosedDatabases {
    @Test func `every access to a closed database fails and ends nothing`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        #expect(try await database.readKeys { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        try database.close()
        await #expect(throws: StorageError.self) { try await database.readKeys { _ in } }
        await #expect(throws: StorageError.self) { try await database.read { _ in } }
        await #expect(throws: StorageError.self) { try await database.write { _ in } }
        await #expect(throws: StorageError.self) { try await database.writeRelaxed { _ in } }
    }

    @Test(.slow) func `reads of keys that race with the close end with a value or an error`() async throws {
        for _ in 0..<20 {
            let temporary = try TemporaryDatabase()
            let database = try temporary.open()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask { _ = try? await database.readKeys { try Int.fetchOne($0, sql: "SELECT 1") } }
                }
                group.addTask { try? database.close() }
            }
        }
    }
}
