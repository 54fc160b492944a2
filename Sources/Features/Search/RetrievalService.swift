package import GatewayAPI
package import JobRoom
package import Logging
package import PostgresStorage
package import Retrieval
package import ServiceLifecycle
package import Storage

/// The search of the notes, and the upkeep of what it searches: the index of the file, or a server.
package struct RetrievalService: Sendable {
    package typealias JobWork =
        @Sendable (_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String?

    package let search: NoteSearch
    /// The index of the file. It answers while a server is away.
    package let index: IndexUpkeep
    /// The server of the notes; nil when they are in the file.
    private let postgres: PostgresUpkeep?

    package init(
        database: GatewayDatabase, embedder: QueryEmbedder, indexFolder: String?, defaultFusion: FusionMethod,
        questions: QuestionReader, rerank: RerankStage = .none, postgres: PostgresStore? = nil, logger: Logger
    ) {
        index = IndexUpkeep(database: database, folder: indexFolder, logger: logger)
        self.postgres = postgres.map { PostgresUpkeep(store: $0, logger: logger) }
        let local = LocalNotes(database: database, follower: index.follower)
        search = NoteSearch(
            source: postgres.map { PostgresNoteSource(store: $0) } ?? local, local: local, embedder: embedder,
            defaultFusion: defaultFusion, rerank: rerank, questions: questions)
    }

    /// Keeps what is searched, until shutdown.
    package var upkeep: any Service { postgres ?? index }

    /// The services that a server runs.
    ///
    /// - Parameter keysChanged: Called after another gateway has changed keys or sessions in PostgreSQL.
    package func services(keysChanged: @escaping @Sendable () async -> Void) -> [any Service] {
        guard let postgres else { return [index] }
        return [postgres, PostgresFollower(store: postgres.store, keysChanged: keysChanged)]
    }

    /// The contents and settings of the index.
    ///
    /// - Throws: ``StorageError``; a PostgreSQL error for notes there.
    package func indexStatus() async throws -> IndexStatus {
        guard let postgres else { return try await index.status() }
        return try await postgres.status()
    }

    /// The parts that have to work before the gateway gets requests, each with why it does not; nil when it does.
    package var readiness: [(name: String, reason: @Sendable () async -> String?)] {
        let answers: @Sendable () async -> String? = { [database = index.database] in
            do {
                _ = try await database.noteBook.find(ids: [1], maxBytes: 1)
                return nil
            } catch {
                return "the store of the notes does not answer"
            }
        }
        let isOpen: @Sendable () async -> String? = { [postgres, index] in
            // The indexes of PostgreSQL are its own.
            postgres == nil ? await index.reasonToWait() : nil
        }
        return [("store", answers), ("index", isOpen)]
    }

    /// The jobs over the index of notes, by kind.
    package var jobs: [Job.Kind: JobWork] {
        let associations = AssociationsJob(search: search, database: index.database)
        if let postgres { return [.associations: associations.work, .tune: postgres.tune(for:_:)] }
        return [.associations: associations.work, .tune: index.tune(for:_:)]
    }
}
