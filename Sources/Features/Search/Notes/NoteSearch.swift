package import Access
import Concurrency
package import GatewayAPI
import Inference
package import Logging
package import PostgresStorage
package import Retrieval
package import ServiceLifecycle
package import Storage
import Text
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers retrievals: embeds the query, ranks with the index, and loads the notes from the database.
///
/// As a service it follows the database in the background, so that changes of other processes are indexed before the
/// next query.
package final class RetrievalService: Service {
    /// The interval between looks at the database's files while idle.
    static let pollInterval = Duration.milliseconds(50)

    /// The pause after the database was asked. An answer writes several times, and each query asks by itself.
    static let pauseAfterLook = Duration.milliseconds(200)

    /// The number of looks at unchanged files after which the database is asked all the same.
    static let looksAtFiles = 20

    /// The interval between checks whether to write the index file.
    static let fileInterval = Duration.seconds(1)

    /// The maximum number of attempts of a search whose index file is changed meanwhile.
    static let attemptsWithDamagedFiles = 3

    package let database: GatewayDatabase
    package let follower: IndexFollower
    /// The notes in PostgreSQL; nil when they are in ``database``.
    package let postgres: PostgresStore?
    /// Where the notes are found.
    let source: any NoteSource
    /// What answers while ``postgres`` is away.
    let local: LocalNotes
    /// Admits searches of the index.
    package let searches = KeyConcurrencyLimiter(.searches)
    private let embedder: QueryEmbedder
    /// The fusion of a query that names none.
    package let defaultFusion: FusionMethod
    /// Reorders the best results.
    package let rerank: RerankStage
    /// Reads questions.
    private let questions: QuestionReader
    private let logger: Logger

    package init(
        database: GatewayDatabase, embedder: QueryEmbedder, indexFolder: String?, defaultFusion: FusionMethod,
        questions: QuestionReader, rerank: RerankStage = .none, postgres: PostgresStore? = nil, logger: Logger
    ) {
        self.rerank = rerank
        self.database = database
        self.postgres = postgres
        self.embedder = embedder
        self.defaultFusion = defaultFusion
        self.questions = questions
        self.logger = logger
        follower = IndexFollower(
            database: database, indexFolder: indexFolder, builder: IndexBuilder(database: database, logger: logger),
            logger: logger)
        local = LocalNotes(database: database, follower: follower)
        source = postgres.map { PostgresNoteSource(store: $0) } ?? local
    }

    /// The services that a server runs beside this one.
    ///
    /// - Parameter keysChanged: Called after another gateway has changed keys or sessions in PostgreSQL.
    package func services(keysChanged: @escaping @Sendable () async -> Void) -> [any Service] {
        guard let postgres else { return [self] }
        return [self, PostgresFollower(store: postgres, keysChanged: keysChanged, logger: logger)]
    }

    /// Follows the database until shutdown and keeps the index file up to date.
    package func run() async throws {
        if let postgres { return try await keep(postgres) }
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.follow() }
                group.addTask { await self.keepFile() }
            }
        }
        await follower.stop()
    }

    /// Checks the schema at start, and keeps the tables short. An error that a retry cannot mend ends the gateway.
    private func keep(_ postgres: PostgresStore) async throws {
        logger.notice(
            "the notes are in PostgreSQL",
            metadata: ["server": "\(postgres.pool.address)", "off": "\(SwitchedOff.list)"])
        if postgres.pool.address.isUnencrypted {
            logger.warning("the connection to PostgreSQL may be unencrypted; set sslmode=verify-full")
        }
        try await cancelWhenGracefulShutdown { [logger] in
            var isFirst = true
            while !Task.isCancelled {
                do {
                    try await postgres.prepare()
                    if isFirst, try await PostgresTransfer(postgres).isUnfinished() {
                        logger.warning("a migration into PostgreSQL is unfinished; run `selene migrate` again")
                    }
                    isFirst = false
                    try await postgres.maintain()
                    try await Task.sleep(for: .seconds(300))
                } catch is CancellationError {
                    return
                } catch let error as PostgresError where error.isOutage || error.code == .serialization {
                    logger.error("PostgreSQL cannot be used", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
    }

    private func follow() async {
        var said: String?
        var (seen, looks) = (DatabaseStamp?.none, 0)
        while !Task.isCancelled {
            do {
                // Taken before the look, so that a commit meanwhile changes the next one.
                let stamp = DatabaseStamp(path: database.path)
                looks = stamp == nil || stamp != seen ? Self.looksAtFiles : looks + 1
                if looks >= Self.looksAtFiles {
                    _ = try await follower.current()
                    (seen, looks) = (stamp, 0)
                }
                said = nil
                try await Task.sleep(for: looks == 0 ? Self.pauseAfterLook : Self.pollInterval)
            } catch is CancellationError {
                return
            } catch {
                // The error may last for hours, so it is logged once.
                if said != "\(error)" {
                    logger.error("the database cannot be followed", metadata: ["error": "\(error)"])
                }
                said = "\(error)"
                // Tables that another program is changing return in a moment.
                let isBrief = (error as? StorageError)?.code == .schema
                try? await Task.sleep(for: isBrief ? Self.pollInterval : .seconds(1))
            }
        }
    }

    private func keepFile() async {
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: Self.fileInterval)
                if await follower.wantsFile { try await follower.writeFile() }
            } catch is CancellationError {
                return
            } catch {
                // Without a file only the next start is slow, so a full disk is not retried every second.
                logger.warning("the index file cannot be written", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Retrieves notes.
    ///
    /// Without a query vector, keywords answer and the reply gives the reason.
    ///
    /// - Throws: ``StorageError``, ``RetrievalError``, `CancellationError`.
    package func retrieve(_ query: SearchQuery) async throws -> RetrieveResponse {
        try await withIntactIndex {
            query.analyzes ? try await answer(query, with: questions) : try await answer(query)
        }
    }

    /// Runs the body again if the index file was changed meanwhile; each refresh takes an intact index.
    func withIntactIndex<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.attemptsWithDamagedFiles {
            do {
                return try await body()
            } catch let error as RetrievalError where error.code == .damaged {
                continue
            }
        }
        return try await body()
    }

    func answer(_ query: SearchQuery) async throws -> RetrieveResponse {
        do {
            return try await answer(query, from: source)
        } catch let error as PostgresError where error.isOutage {
            guard try await database.notes.count() > 0 else { throw error }
            var query = query
            if !query.index.text.isEmpty || !query.index.keywords.isEmpty { query.index.mode = .keyword }
            var response = try await answer(query, from: local)
            response.source = "keyword_fallback"
            response.fallbackReason =
                "PostgreSQL is away (\(error.message)); these are keyword matches of the notes in the local file"
            return response
        }
    }

    private func answer(_ query: SearchQuery, from source: any NoteSource) async throws -> RetrieveResponse {
        let clock = ContinuousClock()
        let started = clock.now
        let live = try await source.view()
        let refreshed = clock.now

        var search = query.index
        if !query.threads.isEmpty {
            // An unknown thread has no notes: the filter then uses an id that no thread has.
            search.filter.threads = try await source.threads(matching: query.threads)
            if search.filter.threads.isEmpty { search.filter.threads = [-1] }
        }
        var fallbackReason: String?
        if search.mode != .keyword {
            switch try await vector(for: search.text, in: live, query) {
            case .success(let vector): search.vector = vector
            case .failure(let reason):
                fallbackReason = reason.text
                search.mode = .keyword
            }
        }
        let embedded = clock.now
        let option = query.mayTellPrivate ? await rerank.optionForPrivate ?? query.rerank : query.rerank
        let candidates = rerank.candidates(
            option, usually: search.recency == nil && search.diversity == nil && !search.text.isEmpty)
        // A longer list has the same beginning.
        search.limit = max(search.limit, candidates ?? 0)
        let result = try await searches.run(query.account.name) { [search] in try await live.search(search) }
        let searched = clock.now
        let notes = try await source.load(result.hits.map(\.id))
        let loaded = clock.now

        let found = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
        let bytes = notes.reduce(0) { $0 + $1.content.utf8.count }
        let owner = query.account.name
        var results = try await LargeWork.shared.run(over: bytes, for: owner) {
            result.hits.compactMap { hit in
                found[hit.id].map { FoundNote(hit: hit, note: $0, passage: Self.passage(of: hit, in: $0, live.space)) }
            }
        }
        var report: RerankReport?
        if let candidates {
            report = try await reorder(&results, first: candidates, result, for: search.text, query.account)
        }
        var timings = [
            "refresh": (refreshed - started).milliseconds, "embed": (embedded - refreshed).milliseconds,
            "filter": result.timings.filter.milliseconds, "vector": result.timings.vector.milliseconds,
            "keyword": result.timings.keyword.milliseconds, "fusion": result.timings.fusion.milliseconds,
            "feedback": result.timings.feedback.milliseconds,
            "search": (searched - embedded).milliseconds, "load": (loaded - searched).milliseconds,
            "total": (clock.now - started).milliseconds,
        ]
        timings["rerank"] = report?.milliseconds
        let shown = try await LargeWork.shared.run(over: bytes, for: owner) { [results] in
            results.prefix(query.index.limit).map { $0.result(result, for: query) }
        }
        return RetrieveResponse(
            query: search.text, source: fallbackReason == nil ? search.mode.rawValue : "keyword_fallback",
            fallbackReason: fallbackReason,
            results: shown,
            timingsMilliseconds: timings,
            explanation: search.explain
                ? RetrievalSummary(
                    documents: result.documents, filterMatched: result.filterMatched,
                    vectorCandidates: result.vectorCandidates, keywordCandidates: result.keywordCandidates,
                    keywordMatches: result.keywordMatches ?? 0,
                    bytesScanned: result.bytesScanned,
                    fusion: search.mode == .hybrid ? search.fusion.description : "none", terms: result.terms,
                    exact: result.plan == .exact && result.index == nil, plan: result.index ?? result.plan.rawValue,
                    measuredRecall: result.measuredRecall,
                    scorer: search.scorer.rawValue, keywordPlans: result.plans.map { $0?.rawValue ?? "stems" },
                    sharedPass: result.batch, feedback: result.feedback.map(FeedbackSummary.init)) : nil,
            rerank: report)
    }

    /// The passage of a long note that is nearest to the query; nil when the note is one passage.
    static func passage(of hit: Hit, in note: Note, _ space: StoredSpace?) -> RetrievedNote.Passage? {
        guard let number = hit.passage, let space, space.space.chunkerVersion == Chunker.version else { return nil }
        let passages = Chunker.passages(title: note.title, content: note.content)
        guard passages.count > 1, passages.indices.contains(number) else { return nil }
        return RetrievedNote.Passage(
            number: number, start: passages[number].range.lowerBound, end: passages[number].range.upperBound)
    }

    private struct Reason: Error { var text: String }

    private func vector(
        for text: String, in live: NoteView, _ query: SearchQuery
    ) async throws -> Result<[Float], Reason> {
        guard let space = live.space, live.hasVectors else {
            return .failure(Reason(text: "no note has been embedded yet; run `selene backfill`"))
        }
        do {
            let vector = try await embedder.vector(
                for: text, in: space, account: query.account, mayTellPrivate: query.mayTellPrivate)
            guard UnitVectorCheck.isUsable(vector) else {
                return .failure(Reason(text: "Ollama's vector for this query is zero or not finite"))
            }
            return .success(vector)
        } catch let error as SpaceMismatch {
            return .failure(Reason(text: error.reason))
        } catch let error as UpstreamError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as UpstreamError {
            return .failure(Reason(text: error.message))
        }
    }
}

/// Checks whether a vector is finite and not zero.
private enum UnitVectorCheck {
    static func isUsable(_ vector: [Float]) -> Bool {
        vector.allSatisfy(\.isFinite) && vector.contains { $0 != 0 }
    }
}
