import Foundation
import GRDB
import Logging
import Machine
import PostgresStorage
import Storage
import StoreMigration
import TestSupport
import Testing

/// A file with notes, and an empty database of the shared server.
final class MoveStage: Sendable {
    let folder: TemporaryFolder
    let path: String
    let database: GatewayDatabase
    let uri: String
    let store: PostgresStore

    init(notes: Int = 0) async throws {
        let server = try #require(await PostgresServer.shared())
        folder = try TemporaryFolder()
        path = folder.path("notes.sqlite")
        database = try GatewayDatabase(path: path)
        uri = try await server.database()
        store = PostgresStore(try PostgresAddress(uri), logger: Logger(label: "test"))
        if notes > 0 { try await fill(notes) }
    }

    deinit {
        store.close()
        try? database.close()
    }

    var file: FileTransfer { FileTransfer(database) }
    var server: PostgresTransfer { PostgresTransfer(store) }

    func migration(
        _ options: StoreMigration.Options = .init(),
        _ report: @escaping @Sendable (StoreMigration.Progress) async -> Void = { _ in }
    ) -> StoreMigration {
        StoreMigration(from: file, to: server, options: options, report: report)
    }

    /// Stores notes in threads, with tags, names and vectors.
    func fill(_ count: Int) async throws {
        _ = try await database.notes.insert((0..<count).map(Self.draft))
        try await embed()
    }

    private static func draft(_ number: Int) -> NoteDraft {
        var draft = NoteDraft(title: "note \(number)", content: "words of note \(number), plum \(number % 7)")
        draft.createdAt = 1_700_000_000 + Int64(number)
        if number % 3 == 0 { draft.noteType = "idea" }
        if number % 4 == 0 { draft.threads = ["even \(number % 8)"] }
        if number % 5 == 0 { draft.tags = ["a", "b \"c\""] }
        if number % 2 == 0 { draft.externalID = "name/\(number)" }
        return draft
    }

    /// Embeds what is pending, with one or two passages a note.
    func embed() async throws {
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 4, queryPrefix: "q: ", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        _ = try await database.queue.reconcile(for: space.id)
        let worker = WorkerName()
        while true {
            let claim = try await database.queue.claim(in: space.id, as: worker, limit: 500, lease: .seconds(60))
            guard !claim.items.isEmpty else { return }
            try await database.queue.complete(
                claim.items.map { item in
                    let (id, passages) = (Float(item.note.id), Int(item.note.id % 2) + 1)
                    return EmbeddingRow(
                        noteID: item.note.id, contentHash: item.note.contentHash,
                        vectors: (0..<passages).flatMap { [id, -0.0, 1 / (id + Float($0)), 1e-30] }, passages: passages)
                }, in: space, as: worker)
        }
    }

    /// Runs SQL on a file as another program.
    func execute(_ sql: String, on other: String? = nil) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: other ?? path, configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// All rows of the tables that are moved, each value with its type.
    static func rows(of path: String) throws -> [String: [String]] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        // Numbers of rows and times of writing belong to the file.
        let tables: [(String, Set<String>)] = [
            ("raw_notes", []), ("processed_notes", ["id"]), ("threads", []), ("thread_notes", []),
            ("gateway_note_sources", []), ("gateway_embeddings", ["space_id", "created_at"]),
            ("gateway_passages", ["space_id"]),
        ]
        return try values(of: tables, in: queue)
    }

    /// All rows of the tables of chat sessions and memories, each value with its type.
    static func conversations(of path: String) throws -> [String: [String]] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try values(of: [("chat_sessions", []), ("conversations", []), ("conversation_memories", [])], in: queue)
    }

    private static func values(
        of tables: [(String, Set<String>)], in queue: DatabaseQueue
    ) throws -> [String: [String]] {
        try queue.read { database in
            var found: [String: [String]] = [:]
            for (table, own) in tables {
                let columns = try database.columns(in: table).map(\.name).filter { !own.contains($0) }
                let list = columns.map { "typeof(\"\($0)\") || quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
                found[table] = try String.fetchAll(database, sql: "SELECT \(list) FROM \(table)").sorted()
            }
            return found
        }
    }
}
