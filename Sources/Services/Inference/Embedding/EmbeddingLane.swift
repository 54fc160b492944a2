import Synchronization
public import Transport

/// The one way to embed: every text goes through the cache, then joins a call that is under way for it, or gets into a
/// new call through the admission.
///
/// Long lists are split into calls of bounded size, few at once. A text that the model refuses fails alone: its call is
/// halved until it stands by itself. May be used from any task; cancelling the task leaves its calls, which go on as
/// long as another request shares them.
public final class EmbeddingLane: Sendable {
    /// The sizes of calls.
    public struct Options: Sendable, Hashable {
        /// Texts in one call at most.
        public var maxInputs: Int
        /// Bytes of text in one call at most, unless a single text is longer.
        public var maxBytes: Int
        /// Calls of one request at once.
        public var maxCallsPerRequest: Int
        /// How long a look at a model's digest is trusted.
        public var digestFreshness: Duration

        /// Creates options.
        public init(
            maxInputs: Int = 32, maxBytes: Int = 1 << 20, maxCallsPerRequest: Int = 2,
            digestFreshness: Duration = .seconds(10)
        ) {
            self.maxInputs = max(1, maxInputs)
            self.maxBytes = max(1, maxBytes)
            self.maxCallsPerRequest = max(1, maxCallsPerRequest)
            self.digestFreshness = digestFreshness
        }
    }

    /// How the lane reaches the upstream.
    struct Calls: Sendable {
        /// Embeds texts in one call.
        var embed: @Sendable (EmbeddingModel, [String]) async throws(UpstreamError) -> Embeddings
        /// The digest of a model by its name, and how long the answer may take to begin.
        var digest: @Sendable (String, Duration?) async throws(UpstreamError) -> String
    }

    /// The limits.
    public let options: Options
    /// The cache; nil when every text is embedded anew.
    public let cache: (any EmbeddingCache)?
    let calls: Calls
    let admission: Admission
    let state = Mutex(State())
    let digests: ModelDigests

    typealias Outcome = [EmbeddingKey: Result<[Float], UpstreamError>]
    typealias Waiter = CheckedContinuation<Outcome?, Never>

    struct State {
        var table = FlightTable<EmbeddingKey, Outcome, Waiter>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var statistics = EmbeddingLaneStatistics()
    }

    /// Creates a lane to Ollama.
    public convenience init(
        upstream: OllamaUpstream, admission: Admission, cache: (any EmbeddingCache)? = nil,
        options: Options = Options()
    ) {
        let calls = Calls(
            embed: { model, inputs throws(UpstreamError) in
                try await upstream.embed(
                    model: model.name, inputs: inputs, dimensions: model.dimensions, options: model.options,
                    truncates: model.truncates)
            },
            digest: { name, timeout throws(UpstreamError) in try await upstream.digest(of: name, within: timeout) })
        self.init(calls: calls, admission: admission, cache: cache, options: options)
    }

    init(calls: Calls, admission: Admission, cache: (any EmbeddingCache)?, options: Options = Options()) {
        self.calls = calls
        self.admission = admission
        self.cache = cache
        self.options = options
        digests = ModelDigests(freshness: options.digestFreshness, look: calls.digest)
    }

    /// What happened so far.
    public var statistics: EmbeddingLaneStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.inFlight = state.table.count
            return statistics
        }
    }

    /// Embeds texts, prefixes included, and answers in their order.
    ///
    /// When the model's digest is not given, it is looked up if there is a cache; a model of which it is not to be had
    /// is embedded without the cache. After a failure that is not a text's fault, texts that were not sent yet fail
    /// with it too.
    ///
    /// - Parameters:
    ///   - caller: Whose place at the upstream it takes, and how urgently.
    ///   - cost: What the texts cost is added to it, as far as they came also when this throws.
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/cancelled`` when the task is cancelled; every other failure
    ///   stands at its text.
    public func embed(
        _ texts: [String], with model: EmbeddingModel, as caller: AdmissionCaller,
        cost: EmbeddingCost = EmbeddingCost()
    ) async throws(UpstreamError) -> EmbeddingResults {
        guard !texts.isEmpty else { return EmbeddingResults(results: []) }
        var model = model
        if model.digest == nil, cache != nil { model.digest = await digests.digest(of: model.name) }
        let maker = EmbeddingKey.Maker(model)
        let keys = texts.map(maker.key)
        var byKey: [EmbeddingKey: String] = [:]
        var unique: [EmbeddingKey] = []
        for (key, text) in zip(keys, texts) where byKey.updateValue(text, forKey: key) == nil { unique.append(key) }

        let cache = model.digest == nil ? nil : cache
        let cached = await cache?.vectors(for: unique) ?? [:]
        let missing = unique.filter { cached[$0] == nil }
        let request = Request(model: model, caller: caller, cache: cache, texts: byKey, cost: cost)
        let fetched = await fetch(chunks(of: missing, byKey), for: request)
        if Task.isCancelled { throw .cancelled }

        var answer = EmbeddingResults(results: [])
        answer.promptTokens = cost.tokens
        answer.results.reserveCapacity(keys.count)
        for key in keys {
            if let vector = cached[key] {
                answer.cached += 1
                answer.results.append(.success(vector))
            } else {
                if fetched.shared.contains(key) { answer.shared += 1 }
                answer.results.append(fetched.outcome[key] ?? .failure(.cancelled))
            }
        }
        state.withLock { [answer] state in
            state.statistics.requested += texts.count
            state.statistics.cached += answer.cached
            state.statistics.shared += answer.shared
        }
        return answer
    }

    /// A request as its calls need it.
    struct Request: Sendable {
        var model: EmbeddingModel
        var caller: AdmissionCaller
        var cache: (any EmbeddingCache)?
        var texts: [EmbeddingKey: String]
        /// What it costs whoever asked.
        let cost: EmbeddingCost
    }

    /// Groups keys, in their order, into chunks that fit into one call.
    func chunks(of keys: [EmbeddingKey], _ texts: [EmbeddingKey: String]) -> [[EmbeddingKey]] {
        var chunks: [[EmbeddingKey]] = []
        var chunk: [EmbeddingKey] = []
        var bytes = 0
        for key in keys {
            let length = texts[key]?.utf8.count ?? 0
            if !chunk.isEmpty, chunk.count == options.maxInputs || bytes + length > options.maxBytes {
                chunks.append(chunk)
                (chunk, bytes) = ([], 0)
            }
            chunk.append(key)
            bytes += length
        }
        if !chunk.isEmpty { chunks.append(chunk) }
        return chunks
    }

    /// Chunk after chunk, few at once; stops at the first failure that is not a text's fault.
    private func fetch(_ chunks: [[EmbeddingKey]], for request: Request) async -> Fetched {
        if chunks.count == 1 { return await fetch(chunks[0], for: request) }
        return await withTaskGroup(of: Fetched.self) { group in
            var whole = Fetched()
            var rest = chunks[...]
            for _ in 0..<options.maxCallsPerRequest {
                guard let chunk = rest.popFirst() else { break }
                group.addTask { await self.fetch(chunk, for: request) }
            }
            var outage: UpstreamError?
            while let part = await group.next() {
                whole.merge(part)
                outage = outage ?? part.outage
                guard outage == nil, let chunk = rest.popFirst() else { continue }
                group.addTask { await self.fetch(chunk, for: request) }
            }
            if let outage {
                for key in rest.joined() { whole.outcome[key] = .failure(outage) }
            }
            return whole
        }
    }

    /// What was fetched for some keys.
    struct Fetched: Sendable {
        var outcome: Outcome = [:]
        /// Keys that another request's call answered.
        var shared: Set<EmbeddingKey> = []

        mutating func merge(_ other: Fetched) {
            outcome.merge(other.outcome) { $1 }
            shared.formUnion(other.shared)
        }

        var outage: UpstreamError? {
            for case .failure(let error) in outcome.values where !error.isRefusalOfInput { return error }
            return nil
        }
    }
}
