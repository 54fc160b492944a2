package import Foundation
import Logging
import Machine
package import PostgresStorage
package import Storage
import Synchronization
package import TestSupport
import Testing

/// A store without notes in a database of the shared server.
package struct PostgresStage {
    package let uri: String
    package let store: PostgresStore

    package init(
        through port: Int? = nil, keepsVocabulary: Bool = true,
        _ change: (inout PostgresPool.Options) -> Void = { _ in }
    ) async throws {
        let server = try #require(await PostgresServer.shared())
        let uri = try await server.migrated()
        self.uri = uri
        store = try Self.store(
            port.map { PostgresServer.uri(uri, port: $0) } ?? uri, keepsVocabulary: keepsVocabulary, change)
    }

    package static func store(
        _ uri: String, keepsVocabulary: Bool = true, _ change: (inout PostgresPool.Options) -> Void = { _ in }
    ) throws -> PostgresStore {
        var options = PostgresPool.Options()
        change(&options)
        return PostgresStore(
            try PostgresAddress(uri), options: options, vocabularyBytes: keepsVocabulary ? 12 << 20 : 0,
            logger: Logger(label: "test"))
    }

    /// A space that answers queries.
    package func space(_ dimensions: Int) async throws -> StoredSpace {
        let space = try await store.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: dimensions, queryPrefix: "", documentPrefix: ""))
        try await store.spaces.activate(space.id)
        return space
    }

    /// Stores one vector for each note, by id.
    package func embed(_ vectors: [Int64: [Float]], in space: StoredSpace) async throws {
        let worker = WorkerName()
        try await store.queue.reconcile(for: space.id)
        while true {
            let claim = try await store.queue.claim(in: space.id, as: worker, limit: 500, lease: .seconds(60))
            guard !claim.isEmpty else { return }
            try await store.queue.complete(
                claim.items.compactMap { item in
                    vectors[item.note.id].map {
                        EmbeddingRow(noteID: item.note.id, contentHash: item.note.contentHash, vector: $0)
                    }
                }, in: space, as: worker)
        }
    }
}

extension PostgresServer {
    /// Makes a database with the schema of this version and returns its URI. A copy takes less time than its migrations do.
    package func migrated() async throws -> String {
        let uri = try await copy { uri in
            let store = try PostgresStage.store(uri)
            try await store.prepare()
            store.close()
        }
        let store = try PostgresStage.store(uri)
        defer { store.close() }
        try await store.pool.write {
            try await $0.run("UPDATE selene.meta SET value = gen_random_uuid()::text WHERE key = 'identity'")
        }
        return uri
    }
}

extension NotesPlace {
    private static let servers = Mutex<[String: String]>([:])

    /// The usual database of the gateways of a folder, which one that is started once more finds again; nil for a file.
    package static func server(of folder: URL) async throws -> String? {
        guard usual == .postgres, let server = await PostgresServer.shared() else { return nil }
        if let known = servers.withLock({ $0[folder.path] }) { return known }
        let address = try await server.migrated()
        servers.withLock { $0[folder.path] = address }
        return address
    }
}
