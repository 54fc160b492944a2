package import GatewayAPI
package import JobRoom
package import Logging
package import PostgresStorage
package import Retrieval
package import ServiceLifecycle
package import Storage

/// The search of the notes, and the upkeep of what it searches.
///
/// An index of this gateway follows the notes, in the file or in a server. A server may search by itself instead.
package struct RetrievalService: Sendable {
    package typealias JobWork =
        @Sendable (_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String?

    package let search: NoteSearch
    /// The index of the notes; of those in the file when a server searches by itself.
    package let index: IndexUpkeep
    let store: any GatewayStore
    /// The server of the notes; nil when they are in the file.
    private let postgres: PostgresUpkeep?
    private let isSearchedByServer: Bool

    package init(
        database: GatewayDatabase, embedder: QueryEmbedder, indexFolder: String?, defaultFusion: FusionMethod,
        questions: QuestionReader, rerank: RerankStage = .none, postgres: PostgresStore? = nil,
        isSearchedByServer: Bool = false, logger: Logger
    ) {
        store = postgres ?? database
        self.isSearchedByServer = isSearchedByServer
        self.postgres = postgres.map { PostgresUpkeep(store: $0, logger: logger) }
        let file = IndexUpkeep(database.changes, path: database.path, folder: indexFolder, logger: logger)
        let local = IndexedNotes(follower: file.follower, notes: database.notes, threads: database.threads)
        var source: any NoteSource = local
        if let postgres, isSearchedByServer {
            index = file
            source = PostgresNoteSource(store: postgres)
        } else if let postgres {
            let folder = indexFolder.map { IndexFolder(path: $0).ofServer.path }
            index = IndexUpkeep(postgres.changes, folder: folder, logger: logger)
            source = IndexedNotes(follower: index.follower, notes: postgres.notes, threads: postgres.threads)
        } else {
            index = file
        }
        search = NoteSearch(
            source: source, store: store, local: local, embedder: embedder, defaultFusion: defaultFusion,
            rerank: rerank, questions: questions)
    }

    /// Keeps what is searched, until shutdown.
    package var upkeep: [any Service] {
        let all: [(any Service)?] = [postgres, isSearchedByServer ? nil : index]
        return all.compactMap(\.self)
    }

    /// The services that a server runs.
    ///
    /// - Parameter keysChanged: Called after another gateway has changed keys or sessions in PostgreSQL.
    package func services(keysChanged: @escaping @Sendable () async -> Void) -> [any Service] {
        guard let postgres else { return upkeep }
        return upkeep + [
            PostgresFollower(store: postgres.store, keepsVocabulary: isSearchedByServer, keysChanged: keysChanged)
        ]
    }

    /// The contents and settings of the index.
    ///
    /// - Throws: ``StorageError``; a PostgreSQL error for notes there.
    package func indexStatus() async throws -> IndexStatus {
        guard let postgres, isSearchedByServer else { return try await index.status() }
        return try await postgres.status()
    }

    /// The parts that have to work before the gateway gets requests, each with why it does not; nil when it does.
    package var readiness: [(name: String, reason: @Sendable () async -> String?)] {
        let answers: @Sendable () async -> String? = { [store] in
            do {
                _ = try await store.notes.find(ids: [1], maxBytes: 1)
                return nil
            } catch {
                return "the store of the notes does not answer"
            }
        }
        let isOpen: @Sendable () async -> String? = { [isSearchedByServer, index] in
            // The indexes of PostgreSQL are its own.
            isSearchedByServer ? nil : await index.reasonToWait()
        }
        return [("store", answers), ("index", isOpen)]
    }

    /// The jobs over the index of notes, by kind.
    package var jobs: [Job.Kind: JobWork] {
        let associations = AssociationsJob(search: search, store: store)
        if let postgres, isSearchedByServer {
            return [.associations: associations.work, .tune: postgres.tune(for:_:)]
        }
        return [.associations: associations.work, .tune: index.tune(for:_:)]
    }
}
