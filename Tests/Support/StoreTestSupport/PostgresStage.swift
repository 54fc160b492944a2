import Foundation
import Logging
import Machine
package import PostgresStorage
package import Storage
import TestSupport
import Testing

/// A store in an empty database of the shared server.
package struct PostgresStage {
    package let uri: String
    package let store: PostgresStore

    package init(
        through port: Int? = nil, keepsVocabulary: Bool = true,
        _ change: (inout PostgresPool.Options) -> Void = { _ in }
    ) async throws {
        let server = try #require(await PostgresServer.shared())
        let uri = try await server.database()
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
