import Synchronization
package import Transport

/// Embeds all texts of the gateway: reads the cache, joins calls in flight for a text, or begins a call through
/// admission.
///
/// Long lists are split into calls of bounded size, a few at once. A text that the model refuses fails alone: its call
/// is halved until the text is isolated. May be used from any task. Cancelling a task leaves its calls, which continue
/// as long as another request shares them.
package final class EmbeddingLane: Sendable {
    /// Limits of the calls.
    package struct Options: Sendable, Hashable {
        /// The maximum number of texts in one call.
        package var maxInputs: Int
        /// The maximum bytes of text in one call, unless a single text is longer.
        package var maxBytes: Int
        /// The maximum number of concurrent calls of one request.
        package var maxCallsPerRequest: Int
        /// How long a model's digest is cached.
        package var digestFreshness: Duration

        package init(
            maxInputs: Int = 32, maxBytes: Int = 1 << 20, maxCallsPerRequest: Int = 2,
            digestFreshness: Duration = .seconds(10)
        ) {
            self.maxInputs = max(1, maxInputs)
            self.maxBytes = max(1, maxBytes)
            self.maxCallsPerRequest = max(1, maxCallsPerRequest)
            self.digestFreshness = digestFreshness
        }
    }

    /// How the lane reaches the models.
    struct Calls: Sendable {
        /// Embeds texts in one call. The last parameter is called when the answer is there, before it is parsed.
        var embed:
            @Sendable (EmbeddingModel, [String], @escaping @Sendable () -> Void) async throws(UpstreamError)
                -> Embeddings
        /// Looks up a model's digest by name; the second parameter is the timeout of the first byte.
        var digest: @Sendable (String, Duration?) async throws(UpstreamError) -> String
        /// The admission of a model; nil for the lane's own.
        var admission: @Sendable (String) -> Admission? = { _ in nil }
        /// The server of a model, for errors.
        var peer: @Sendable (String) -> String = { _ in "Ollama" }
        /// Whether texts for a model stay on machines of the user.
        var isLocal: @Sendable (String) async throws(UpstreamError) -> Bool = { _ throws(UpstreamError) in true }
    }

    /// Limits of the calls.
    package let options: Options
    /// The cache; nil when every text is embedded anew.
    package let cache: (any EmbeddingCache)?
    let calls: Calls
    let admission: Admission
    let state = Mutex(State())
    let digests: ModelDigests

    typealias Outcome = [EmbeddingKey: Result<[Float], UpstreamError>]
    typealias Waiter = CheckedContinuation<Outcome?, Never>

    struct State {
        var table = InFlightCalls<EmbeddingKey, Outcome, Waiter>()
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var statistics = EmbeddingLaneStatistics()
    }

    /// Creates a lane that calls Ollama.
    package convenience init(
        upstream: OllamaUpstream, admission: Admission, cache: (any EmbeddingCache)? = nil,
        options: Options = Options()
    ) {
        self.init(
            models: EmbeddingModels(upstream: upstream, admission: admission), admission: admission, cache: cache,
            options: options)
    }

    /// Creates a lane that calls Ollama and other providers.
    package convenience init(
        models: EmbeddingModels, admission: Admission, cache: (any EmbeddingCache)? = nil, options: Options = Options()
    ) {
        let calls = Calls(
            embed: { model, inputs, received throws(UpstreamError) in
                try await models.embed(model, inputs, received: received)
            },
            digest: { name, timeout throws(UpstreamError) in try await models.digest(of: name, within: timeout) },
            admission: { models.admission(for: $0) }, peer: { models.peer(of: $0) }, isLocal: models.isLocal)
        self.init(calls: calls, admission: admission, cache: cache, options: options)
    }

    init(calls: Calls, admission: Admission, cache: (any EmbeddingCache)?, options: Options = Options()) {
        self.calls = calls
        self.admission = admission
        self.cache = cache
        self.options = options
        digests = ModelDigests(freshness: options.digestFreshness, look: calls.digest)
    }

    /// Whether texts for a model stay on machines of the user; nil when that is not known within a time. Nothing private may be
    /// sent then.
    package func isLocal(_ model: String, within timeout: Duration) async -> Bool? {
        await withTaskGroup(of: Bool?.self) { group in
            group.addTask { try? await self.calls.isLocal(model) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Counts since the lane was created.
    package var statistics: EmbeddingLaneStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.inFlight = state.table.count
            return statistics
        }
    }

    /// Embeds texts that include their prefixes, and returns the results in their order.
    ///
    /// With a cache, a missing model digest is looked up; when the lookup fails, the texts are embedded without the
    /// cache. After a failure that is not a text's fault, unsent texts fail with the same error.
    ///
    /// - Parameters:
    ///   - caller: The caller and priority for admission.
    ///   - cost: Receives the token cost, including the part that arose before this throws.
    ///   - received: Called when a single call answers all texts and its answer is there, before it is parsed: another
    ///     call may begin.
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/cancelled`` when the task is cancelled. Every other
    ///   failure is the result of its text.
    package func embed(
        _ texts: [String], with model: EmbeddingModel, as caller: AdmissionCaller,
        cost: EmbeddingCost = EmbeddingCost(), received: (@Sendable () -> Void)? = nil
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
        let chunks = chunks(of: missing, byKey)
        let request = Request(
            model: model, caller: caller, cache: cache, texts: byKey, cost: cost,
            received: chunks.count == 1 ? received : nil)
        let fetched = await fetch(chunks, for: request)
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

    /// The parameters of a request that its calls need.
    struct Request: Sendable {
        var model: EmbeddingModel
        var caller: AdmissionCaller
        var cache: (any EmbeddingCache)?
        var texts: [EmbeddingKey: String]
        /// Receives the token cost.
        let cost: EmbeddingCost
        /// Called when the answer of a call is there.
        var received: (@Sendable () -> Void)?
    }

    /// Groups keys, in their order, into chunks that each fit into one call.
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

    /// Fetches chunks, a few at once; stops at the first failure that is not a text's fault.
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

    /// The outcomes of some keys.
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
