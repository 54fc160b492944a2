public import Transport

/// What became of the texts of one request.
public struct EmbeddingResults: Sendable {
    /// One for each text, in their order: its vector, or why it has none.
    public internal(set) var results: [Result<[Float], UpstreamError>]
    /// Texts that the cache answered.
    public internal(set) var cached = 0
    /// Texts that were answered by a call which another request had begun.
    public internal(set) var shared = 0
    /// Tokens that the request cost up to now; see ``EmbeddingCost``.
    public internal(set) var promptTokens = 0

    /// All vectors as one block.
    ///
    /// - Throws: The first text's ``UpstreamError``, if any has one; ``UpstreamError/Code/invalidResponse`` when the
    ///   vectors differ in length.
    public func embeddings(model: String) throws(UpstreamError) -> Embeddings {
        var values: [Float] = []
        var dimensions = 0
        for (index, result) in results.enumerated() {
            let vector = try result.get()
            if index == 0 {
                dimensions = vector.count
                values.reserveCapacity(dimensions * results.count)
            }
            guard vector.count == dimensions else {
                throw UpstreamError(
                    .invalidResponse, "\(model) gave vectors of \(dimensions) and of \(vector.count) numbers")
            }
            values += vector
        }
        return Embeddings(
            model: model, dimensions: dimensions, count: results.count, values: values,
            promptTokens: promptTokens)
    }

    /// The first failure that is not the fault of a text; nil when all are, or none failed.
    public var outage: UpstreamError? {
        for case .failure(let error) in results where !error.isRefusalOfInput { return error }
        return nil
    }
}

extension UpstreamError {
    /// Whether the input is to blame: Ollama answers 400 for it, and some models 500.
    public var isRefusalOfInput: Bool { code == .status && (status == 400 || status == 500) }
}

/// What an embedding lane did since it was made.
public struct EmbeddingLaneStatistics: Sendable, Hashable {
    /// Calls to the upstream.
    public var calls = 0
    /// Texts in those calls.
    public var inputs = 0
    /// Texts that were asked for.
    public var requested = 0
    /// Texts that the cache answered.
    public var cached = 0
    /// Texts that were answered by a call which another request had begun.
    public var shared = 0
    /// Texts that the model refused, each by itself.
    public var refused = 0
    /// Calls that were aborted because nobody waited for them any more.
    public var aborted = 0
    /// Calls that have not ended.
    public var inFlight = 0
}
