import FakeProviders
import GatewayAPI
import Logging
import TestSupport
import Testing

@testable import Inference
@testable import Transport

/// A reranker before a server with faults. It never fails: without scores there is a reason.
@Suite(.serialized) struct Rerankers {
    private static let texts = ["bread", "the tide", "moon and tide", "a cello"]

    /// Runs a closure with a reranker of the provider `p`.
    private func with(
        _ options: FakeProvider.Options = .init(), model: String = "p/small", path: String = "/v1",
        timeout: Duration = .seconds(20), places: Int = 4,
        _ body: (Reranker, FakeProvider, Admission) async throws -> Void
    ) async throws {
        try await FakeProvider.withServer(options) { fake in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            func configuration(_ name: String, _ dialect: ProviderDialect) -> ProviderConfiguration {
                var configuration = ProviderConfiguration(
                    name: name, dialect: dialect,
                    upstream: UpstreamConfiguration(baseURL: fake.baseURL + path, peer: "provider \"\(name)\""),
                    key: options.key.map { .value($0) } ?? .none)
                configuration.maxInFlight = places
                configuration.maxWaiting = 0
                return configuration
            }
            let providers = [
                try RemoteProvider(configuration("p", .openAI), logger: logger),
                try RemoteProvider(configuration("claude", .anthropic), logger: logger),
            ]
            let upstream = OllamaUpstream(
                transport: try UpstreamTransport(
                    configuration: UpstreamConfiguration(baseURL: fake.baseURL, peer: "Ollama")))
            let models = EmbeddingModels(
                upstream: upstream, admission: Admission(maxInFlight: 4, maxWaiting: 4), providers: providers)
            let reranker = models.reranker(Reranker.Options(model: model, timeout: timeout))
            try await body(reranker, fake, providers[0].admission)
        }
    }

    private func score(_ reranker: Reranker) async throws -> Reranker.Outcome {
        try await reranker.score("moon tide", Self.texts, for: AdmissionCaller("test"))
    }

    @Test(arguments: [
        (FakeProvider.RerankStyle.usual, "/v1", ["/v1/rerank"]),
        (.bare, "/v1", ["/v1/rerank", "/v1/rerank"]),
        (.texts, "/v1", ["/v1/rerank", "/v1/rerank", "/rerank"]),
        (.texts, "", ["/rerank", "/rerank", "/rerank"]),
    ])
    func `the form that the server understands is found and kept`(
        style: FakeProvider.RerankStyle, path: String, targets: [String]
    ) async throws {
        var options = FakeProvider.Options()
        options.rerank = style
        try await with(options, path: path) { reranker, fake, _ in
            let outcome = try await score(reranker)
            #expect(outcome.result == .scored && outcome.reason == nil)
            #expect(outcome.scores == [0.25, 1.25, 2.25, 0.25])
            #expect(outcome.tokens == (style == .texts ? 17 : 7))
            #expect(fake.received.map(\.target) == targets)
            #expect(fake.received.allSatisfy { $0.headers["authorization"] == "Bearer \(options.key ?? "")" })
            _ = try await score(reranker)
            #expect(fake.received.map(\.target) == targets + [targets.last ?? ""])
            let isLocal = await reranker.isLocal
            #expect(reranker.counts == [.scored: 2] && !isLocal)
        }
    }

    @Test func `a request has model, query, documents and their number`() async throws {
        try await with { reranker, fake, _ in
            _ = try await score(reranker)
            let body = try JSONDocument(parsing: Array(try #require(fake.lastRequest).body.utf8)).value
            #expect(
                body
                    == .object([
                        "model": .string("small"), "query": .string("moon tide"), "top_n": .integer(4),
                        "documents": .array(Self.texts.map { .string($0) }),
                    ]))
        }
    }

    @Test func `a name without a provider is a model at Ollama's address`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        options.models = ["bge", "hf.co/x/y"]
        for model in options.models {
            try await with(options, model: model) { reranker, fake, _ in
                let outcome = try await score(reranker)
                #expect(outcome.scores == [0.25, 1.25, 2.25, 0.25])
                #expect(fake.received.map(\.target) == ["/v1/rerank"])
                #expect(await reranker.isLocal)
            }
        }
    }

    @Test(arguments: [
        ("status=500", "provider \"p\" answered 500: fault 500", 1),
        ("status=404", "provider \"p\" answered 404: fault 404", 3),
        ("busy=503:1", "provider \"p\" answered 503: fault 503", 1),
        ("status=401", "provider \"p\" refused its key", 1),
        ("bad-json=0", "the answer of provider \"p\" to /rerank is not JSON", 1), ("cut=0", "", 1), ("drop", "", 1),
    ])
    func `a failure gives a reason at once`(fault: String, reason: String, requests: Int) async throws {
        try await with { reranker, fake, _ in
            fake.setFaults([fault])
            let outcome = try await score(reranker)
            #expect(outcome.result == .failed && outcome.scores == [nil, nil, nil, nil] && outcome.tokens == 0)
            let said = try #require(outcome.reason)
            #expect(reason.isEmpty ? !said.isEmpty : said == reason)
            #expect(fake.statistics.requests.values.reduce(0, +) == requests)
            fake.setFaults([])
            #expect(try await score(reranker).result == .scored)
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"results":[]}"#, #"{"results":[{"index":4,"relevance_score":1}]}"#,
        #"{"results":[{"index":0,"relevance_score":null}]}"#, #"{"results":[{"index":0,"relevance_score":NaN}]}"#, "",
        #"{"scores":[1,2,3,4]}"#,
    ])
    func `an answer without usable scores is a failure`(body: String) async throws {
        var options = FakeProvider.Options()
        options.rerankReply = body
        try await with(options) { reranker, _, _ in
            let outcome = try await score(reranker)
            #expect(outcome.result == .failed && outcome.scores == [nil, nil, nil, nil])
            #expect(outcome.reason?.isEmpty == false)
        }
    }

    @Test func `an answer of another length gives the scores that fit`() async throws {
        var options = FakeProvider.Options()
        options.rerankReply = #"{"results":[{"index":9,"relevance_score":9},{"index":3,"relevance_score":2}]}"#
        try await with(options) { reranker, _, _ in
            let outcome = try await score(reranker)
            #expect(outcome.result == .scored && outcome.scores == [nil, nil, nil, 2])
        }
    }

    @Test(arguments: ["stall-first=60", "stall-mid=0:60"])
    func `a slow answer is a timeout, and its connection is closed`(fault: String) async throws {
        try await with(timeout: .milliseconds(30)) { reranker, fake, _ in
            fake.setFaults([fault])
            let outcome = try await score(reranker)
            #expect(outcome.result == .timeout && outcome.reason == "\"p/small\" gave no scores within 30 ms")
            try await waitUntil { fake.statistics.inFlight == 0 }
            #expect(fake.statistics.completed == 0)
        }
    }

    @Test(.slow) func `after three failures it pauses, and the server gets nothing`() async throws {
        try await with { reranker, fake, _ in
            fake.setFaults(["status=500"])
            for _ in 0..<3 { #expect(try await score(reranker).result == .failed) }
            let paused = try await score(reranker)
            #expect(paused.result == .paused && reranker.isPaused)
            #expect(paused.reason == "paused after failures; the last: provider \"p\" answered 500: fault 500")
            #expect(fake.statistics.requests == ["/v1/rerank": 3])
            fake.setFaults([])
            // The pause ends by itself, and one success ends it for all.
            try await waitUntil { try await score(reranker).result == .scored }
            #expect(!reranker.isPaused && reranker.counts[.failed] == 3)
        }
    }

    @Test func `a full queue is busy, and no failure of the server`() async throws {
        try await with(places: 1) { reranker, fake, admission in
            let permit = try await admission.acquire(AdmissionCaller("other"))
            for _ in 0..<5 { #expect(try await score(reranker).result == .busy) }
            #expect(fake.statistics.requests == [:] && !reranker.isPaused)
            permit.release()
            #expect(try await score(reranker).result == .scored)
        }
    }

    @Test func `a cancelled search closes the connection and counts nothing`() async throws {
        try await with { reranker, fake, admission in
            fake.setFaults(["stall-first=60"])
            let task = Task { try await score(reranker) }
            try await waitUntil { fake.statistics.inFlight == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await waitUntil { fake.statistics.inFlight == 0 }
            #expect(fake.statistics.cancelled == 1 && reranker.counts == [:] && !reranker.isPaused)
            #expect(admission.load.inFlight == 0)
        }
    }

    @Test func `a provider of another API is said to have no reranker`() async throws {
        try await with(model: "claude/small") { reranker, fake, _ in
            let outcome = try await score(reranker)
            #expect(outcome.result == .failed && outcome.reason == "provider \"claude\" has no reranking models")
            #expect(fake.statistics.requests == [:])
        }
    }
}
