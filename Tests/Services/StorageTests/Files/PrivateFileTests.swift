import Foundation
import GRDB
import Storage
import StoreTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Who may read what is created.
@Suite(.serialized) struct PrivateFiles {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Runs a body with the laxest umask.
    private func withoutMask(_ body: (URL) async throws -> Void) async throws {
        let file = try TemporaryDatabase()
        let before = umask(0)
        defer { umask(before) }
        try await body(file.folder)
    }

    @Test func `a new database, its companions and its folders are the owner's alone, whatever the umask`() async throws
    {
        try await withoutMask { folder in
            let path = folder.appending(path: "new/deeper/notes.sqlite").path
            let database = try GatewayDatabase(path: path)
            let cache = try EmbeddingCacheFile(path: path + ".cache")
            try await cache.store([Array(repeating: 1, count: 32): [1, 2]])
            for ending in ["", "-wal", "-shm", ".cache", ".cache-wal", ".cache-shm"] {
                #expect(try mode(path + ending) == 0o600, "\(ending)")
            }
            #expect(try mode(folder.appending(path: "new").path) == 0o700)
            #expect(try mode(folder.appending(path: "new/deeper").path) == 0o700)
            try cache.close()
            try database.close()
        }
    }

    @Test func `a database of another program keeps its mode`() async throws {
        try await withoutMask { folder in
            let path = folder.appending(path: "notes.sqlite").path
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER PRIMARY KEY)") }
            try other.close()
            #expect(try mode(path) == 0o644)
            try GatewayDatabase(path: path).close()
            #expect(try mode(path) == 0o644)
        }
    }

    @Test func `a file in a folder's place is refused with its name`() throws {
        let file = try TemporaryDatabase()
        let blocked = file.folder.appending(path: "file").path
        try Data().write(to: URL(filePath: blocked))
        let error = #expect(throws: StorageError.self) { try GatewayDatabase(path: blocked + "/notes.sqlite") }
        #expect(error?.code == .cannotOpen && error?.message.contains(blocked) == true)
    }
}
