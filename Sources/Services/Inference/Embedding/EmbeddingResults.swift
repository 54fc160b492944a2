package import Transport

/// The outcomes of one request's texts.
package struct EmbeddingResults: Sendable {
    /// The vector or error of each text, in their order.
    package internal(set) var results: [Result<[Float], UpstreamError>]
    /// Texts that were cached.
    package internal(set) var cached = 0
    /// Texts answered by a call that another request had begun.
    package internal(set) var shared = 0
    /// Tokens that the request has cost so far; see ``EmbeddingCost``.
    package internal(set) var promptTokens = 0

    /// Returns all vectors as one block.
    ///
    /// - Throws: The ``UpstreamError`` of the first text that failed; ``UpstreamError/Code/invalidResponse`` when the
    ///   vectors differ in length.
    package func embeddings(model: String) throws(UpstreamError) -> Embeddings {
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

    /// The first failure that is not a text's fault; nil when there is none.
    package var outage: UpstreamError? {
        for case .failure(let error) in results where !error.isRefusalOfInput { return error }
        return nil
    }
}

extension UpstreamError {
    /// Whether the input may be at fault: the model refused it (status 400, or 500 from some models), or sent no usable
    /// vector for it, such as one with `null`.
    package var isRefusalOfInput: Bool {
        code == .status && (status == 400 || status == 500) || code == .invalidResponse
    }
}

extension Result<[Float], UpstreamError> {
    /// Why a text has no vector of a length; nil if it has one.
    package func fault(dimensions: Int, of model: String) -> UpstreamError? {
        switch self {
        case .failure(let error): error
        case .success(let vector) where vector.count != dimensions:
            UpstreamError(
                .invalidResponse, "\(model) returned a vector of \(vector.count) dimensions; expected \(dimensions)")
        case .success: nil
        }
    }
}

/// Counts of an embedding lane since its creation.
package struct EmbeddingLaneStatistics: Sendable, Hashable {
    /// Calls to the upstream.
    package var calls = 0
    /// Texts in those calls.
    package var inputs = 0
    /// Requested texts.
    package var requested = 0
    /// Texts that were cached.
    package var cached = 0
    /// Texts answered by a call that another request had begun.
    package var shared = 0
    /// Texts that the model refused.
    package var refused = 0
    /// Calls that were aborted because no request waited for them.
    package var aborted = 0
    /// Calls in flight.
    package var inFlight = 0
}
