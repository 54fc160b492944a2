import Foundation
import GRDB
import Logging
import Retrieval
import Storage

@testable import Search

/// A notes database in a folder of its own, and the other program that writes to it.
final class NotesFile: Sendable {
    let folder: URL
    let database: GatewayDatabase

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-search-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try GatewayDatabase(path: folder.appending(path: "notes.sqlite").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func otherProgram() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// Runs statements as another program does, outside a transaction unless they begin one.
    func write(_ statements: String...) throws {
        let queue = try otherProgram()
        try queue.writeWithoutTransaction { other in
            try other.execute(sql: "PRAGMA foreign_keys = OFF")
            for statement in statements { try other.execute(sql: statement) }
        }
        try queue.close()
    }

    func insert(_ id: Int, _ content: String) throws {
        try write(
            "INSERT INTO raw_notes (id, title, content, created_at) VALUES (\(id), 'note', '\(content)', '2026-01-02')")
    }

    /// Rebuilds the table of notes as migrations of other programs do, with changes on the way.
    func rebuild(changing statements: String...) throws {
        let queue = try otherProgram()
        try queue.writeWithoutTransaction { other in
            let sql = try String.fetchOne(other, sql: "SELECT sql FROM sqlite_master WHERE name = 'raw_notes'") ?? ""
            let columns = sql.firstIndex(of: "(").map { String(sql[$0...]) } ?? ""
            try other.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    BEGIN IMMEDIATE;
                    CREATE TABLE new_raw_notes \(columns);
                    INSERT INTO new_raw_notes SELECT * FROM raw_notes;
                    DROP TABLE raw_notes;
                    ALTER TABLE new_raw_notes RENAME TO raw_notes;
                    """)
            for statement in statements { try other.execute(sql: statement) }
            try other.execute(sql: "COMMIT")
        }
        try queue.close()
    }

    func follower(_ gate: Gate? = nil) -> IndexFollower {
        IndexFollower(
            notes: database.changes, indexFolder: nil,
            builder: IndexBuilder(notes: database.changes, logger: Self.logger, willRead: { await gate?.pass() }),
            logger: Self.logger)
    }
}

/// Holds whoever passes back until it is opened for one, or the task is cancelled.
final class Gate: Sendable {
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init() { (openings, opening) = AsyncStream.makeStream() }

    func open() { opening.yield() }

    func pass() async { _ = await openings.first { _ in true } }
}

extension LiveIndex {
    /// The ids of the notes that have a word, ascending.
    func ids(_ word: String, tags: Set<String> = []) async throws -> [Int64] {
        var query = HybridQuery(text: word, mode: .keyword, limit: 100)
        query.filter.tags = tags
        return try await index.search(query).hits.map(\.id).sorted()
    }
}
