import Backfill
import Console
import Evaluation
import Foundation
import Gateway
import Inference
import LLM
import Logging
import Server
import Storage
import Synchronization
import Transport

/// Embeds a collection with Ollama in the same way as notes, and caches the vectors. It backfills two databases, one of
/// documents and one of queries, so that only new and changed texts are embedded again.
struct EvaluationEmbedder: Sendable {
    private let configuration: GatewayConfiguration
    private let collection: EvaluationCollection
    private let folder: URL

    init(_ options: CollectionOptions, collection: EvaluationCollection) throws {
        var configuration = try options.options.load(["embed_model": options.model])
        if options.options.logLevel == nil { configuration.server.logLevel = .warning }
        self.configuration = configuration
        self.collection = collection
        let environment = ProcessInfo.processInfo.environment
        let home =
            environment["XDG_CACHE_HOME"].map { URL(filePath: $0) }
            ?? (environment["HOME"].map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser)
            .appending(path: ".cache")
        folder = options.cache.map { URL(filePath: $0) } ?? home.appending(path: "selene/eval")
    }

    /// Returns the vectors of all documents and queries.
    func vectors() async throws -> EvaluationSubject.Vectors {
        do {
            return try await embedded()
        } catch let error as UpstreamError {
            throw Failure.exit(for: error, upstreams: configuration.llm.upstreams.map(\.upstream.baseURL))
        }
    }

    private func embedded() async throws -> EvaluationSubject.Vectors {
        let profile = ModelProfile(model: configuration.llm.embedModel)
        let documents = try await embedded(
            collection.documents.map { (id: $0.id, title: $0.title, text: $0.text) }, as: "documents", profile: profile,
            chunks: true)
        let queries = try await embedded(
            collection.queries.map { (id: $0.id, title: "", text: $0.text) }, as: "queries",
            profile: ModelProfile(queryPrefix: profile.queryPrefix, documentPrefix: profile.queryPrefix), chunks: false)
        guard documents.dimensions == queries.dimensions else {
            throw EvaluationError("documents and queries were embedded with different dimensions")
        }
        return EvaluationSubject.Vectors(
            dimensions: documents.dimensions, documents: documents.vectors,
            queries: queries.vectors.mapValues { Array($0.values.prefix(documents.dimensions)) })
    }

    private typealias Embedded = (dimensions: Int, vectors: [String: (values: [Float], passages: Int)])

    private func embedded(
        _ texts: [(id: String, title: String, text: String)], as kind: String, profile: ModelProfile, chunks: Bool
    ) async throws -> Embedded {
        var settings = configuration
        settings.databasePath = folder.appending(path: "\(collection.name)-\(kind).sqlite").path
        let context = try CommandContext(settings)
        do {
            for start in stride(from: 0, to: texts.count, by: 500) {
                let drafts = texts[start..<min(texts.count, start + 500)].map { text in
                    NoteDraft(title: text.title, content: text.text, createdAt: 0, externalID: text.id, source: "eval")
                }
                _ = try await context.database.notes.insert(drafts)
            }
            let options = BackfillOptions(model: settings.llm.embedModel, profile: profile, chunks: chunks)
            let summary = try await BackfillCommand.backfill(context, options: options)
            let names = try await context.database.notes.byExternalID()
            let collected = Mutex<[Int64: (values: [Float], passages: Int)]>([:])
            _ = try await context.database.changes.readAll(in: summary.space) { notes in
                collected.withLock { collected in
                    for case .present(let note) in notes {
                        if note.passages > 0 { collected[note.id] = (note.vectors, note.passages) }
                    }
                }
            }
            await context.close()
            let vectors = collected.withLock { $0 }
            return (summary.space.space.dimensions, names.compactMapValues { vectors[$0] })
        } catch {
            await context.close()
            throw error
        }
    }
}
