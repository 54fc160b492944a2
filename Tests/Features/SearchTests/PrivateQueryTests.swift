import ChatRoom
import Access
import GatewayAPI
import Goals
import Retrieval
import Schedules
import Storage
import Synchronization
import TestSupport
import Testing
import Tools
import Transport

@testable import Inference
@testable import Search

/// What searches for a caller tell that must not learn of private notes, and when a query that may tell of them is embedded.
@Suite struct PrivateQueryTests {
    private static let model = EmbeddingModel(name: "m", digest: "d")

    /// A model that answers with a vector, at a place.
    private func embedder(
        _ texts: Collected<String>, cache: (any EmbeddingCache)? = nil, timeout: Duration = .seconds(30),
        isLocal: @escaping @Sendable () async throws(UpstreamError) -> Bool
    ) -> QueryEmbedder {
        let lane = EmbeddingLane(
            calls: .init(
                embed: { _, inputs, _ throws(UpstreamError) in
                    for input in inputs { texts.add(input) }
                    return Embeddings(model: "m", dimensions: 2, count: 1, values: [1, 2], promptTokens: 1)
                },
                digest: { _, _ throws(UpstreamError) in "d" },
                isLocal: { _ throws(UpstreamError) in try await isLocal() }),
            admission: Admission(maxInFlight: 1, maxWaiting: 8), cache: cache)
        return QueryEmbedder(lane: lane, timeout: timeout)
    }

    private func reason(_ embedder: QueryEmbedder) async throws -> String? {
        do {
            _ = try await embedder.vector(of: "secret", with: Self.model, account: .local, mayTellPrivate: true)
            return nil
        } catch let error as UpstreamError {
            return error.message
        }
    }

    @Test func `the reason says whether the place is another machine or not known`() async throws {
        let sent = Collected<String>()
        let away = try await reason(embedder(sent) { () throws(UpstreamError) in false })
        #expect(away?.contains("runs on another machine") == true)
        let unknown = try await reason(
            embedder(sent) { () throws(UpstreamError) in throw UpstreamError(.refused, "Ollama is away") })
        #expect(unknown?.contains("it is not known where the model m runs") == true)
        #expect(sent.all == [])
        let none = try await reason(embedder(sent) { () throws(UpstreamError) in true })
        #expect(none == nil && sent.all == ["secret"])
    }

    @Test(.timeLimit(.minutes(1))) func `a place that nobody tells takes no longer than the query's timeout`()
        async throws
    {
        let embedder = embedder(Collected<String>(), timeout: .milliseconds(1)) { () throws(UpstreamError) in
            try? await Task.sleep(for: .seconds(3600))
            return true
        }
        #expect(try await reason(embedder)?.contains("not known") == true)
    }

    @Test func `a cached vector is used without asking where the model runs`() async throws {
        let cache = MemoryEmbeddingCache()
        cache.store([EmbeddingKey.Maker(Self.model).key(for: "secret"): [3, 4]])
        let sent = Collected<String>()
        let embedder = embedder(sent, cache: cache) { () throws(UpstreamError) in
            Issue.record("asked")
            return false
        }
        let vector = try await embedder.vector(
            of: "secret", with: Self.model, account: .local, mayTellPrivate: true)
        #expect(vector == [3, 4] && sent.all == [])
    }

    @Test func `a private note is no note for who must not learn of it`() async throws {
        let file = try NotesFile()
        _ = try await file.database.notes.insert([
            NoteDraft(title: "a", content: "the tide", externalID: "1"),
            NoteDraft(title: "b", content: "the moon", tags: ["private"], externalID: "2"),
        ])
        let retrieval = RetrievalService(
            database: file.database, embedder: embedder(Collected<String>()) { () throws(UpstreamError) in true },
            indexFolder: nil, defaultFusion: .rrf(k: 60),
            questions: QuestionReader(rule: try #require(DayRule(zone: .utc)), firstWeekday: 1),
            logger: NotesFile.logger)
        let memories = MemoryRetrieval(
            file.database.memories, embedder: embedder(Collected<String>()) { () throws(UpstreamError) in true },
            model: "m", scans: KeyConcurrencyLimiter(.scans))
        let tools = SearchTools(notes: retrieval.search, memories: memories).all
        let related = try #require(tools.first { $0.name == "related_notes" })
        func answer(_ note: Int64, _ hides: NotePrivacy?) async throws -> String {
            try await related.handler(
                ToolArguments(["note": .integer(note)]), ToolCaller(key: nil, scopes: nil, hides: hides)
            ).text
        }
        let hides = try #require(NotePrivacy("private"))
        let (none, secret, open) = (
            try await answer(9, hides), try await answer(2, hides), try await answer(1, hides)
        )
        #expect(secret == none && open != none)
        #expect(try await answer(2, nil) == open)
    }
}
