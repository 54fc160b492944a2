package import NIOCore
package import Transport

/// Decides whether a failed request is retried at another endpoint: outcome in, decision out.
///
/// Pure: the caller passes what the endpoints hold.
package enum AttemptPolicy {
    /// The maximum number of endpoints that one request is sent to.
    package static let maxAttempts = 3

    /// Returns whether to retry after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: The status of the response head, or the error before the head.
    ///   - attempts: The number of attempts so far, including this one.
    ///   - isRepeatable: Whether the whole request can be sent again.
    ///   - mayBeElsewhere: Whether an untried endpoint may hold the model; called only for a 404.
    package static func retries(
        after outcome: Result<Int, UpstreamError>, attempts: Int, isRepeatable: Bool, mayBeElsewhere: () -> Bool
    ) -> Bool {
        guard isRepeatable, attempts < maxAttempts else { return false }
        switch outcome {
        case .failure(let error): return retries(after: error)
        case .success(404): return mayBeElsewhere()
        // 429 is said of one endpoint, like a full queue.
        case .success(let status): return status == 429 || status >= 500
        }
    }

    /// Whether an error before the response permits a retry.
    ///
    /// A first-byte timeout does not: the client has waited long, and the endpoint may still work on the request.
    private static func retries(after error: UpstreamError) -> Bool {
        switch error.code {
        case .refused, .dns, .connectTimeout, .tls, .cut, .protocolViolation, .shuttingDown: true
        default: false
        }
    }
}

/// The attempts of one request: the endpoints so far and the next one.
///
/// ``AttemptPolicy`` decides whether to retry; ``EndpointPool`` chooses the endpoint.
package struct RequestAttempts {
    /// The model that the choice depends on, as Ollama knows it; nil when the request names none.
    private let model: String?
    private let isSameEverywhere: Bool
    /// The hashes of the prompt's prefixes; empty when it does not matter where it is computed.
    private let prompt: [UInt64]
    /// Whether the whole request can be sent again.
    package let isRepeatable: Bool
    /// The endpoints of the attempts, in order.
    package private(set) var endpoints: [Endpoint] = []

    /// Creates the attempts of an unsent request.
    ///
    /// - Parameters:
    ///   - isSameEverywhere: See ``EndpointPool/take(model:isSameEverywhere:after:)``.
    ///   - isRepeatable: Whether the whole request can be sent again.
    ///   - prompt: The body, if it is a prompt for one of several endpoints; nil otherwise.
    package init(model: String?, isSameEverywhere: Bool, isRepeatable: Bool, prompt: ByteBuffer? = nil) {
        self.model = model
        self.prompt = prompt.map(PromptPrefixes.hashes) ?? []
        self.isSameEverywhere = isSameEverywhere
        self.isRepeatable = isRepeatable
    }

    /// Takes an untried endpoint; nil when there is none.
    package mutating func next(in pool: EndpointPool) -> EndpointUse? {
        guard
            let use = pool.take(
                model: model, isSameEverywhere: isSameEverywhere, prompt: prompt, after: endpoints)
        else { return nil }
        endpoints.append(use.endpoint)
        return use
    }

    /// Takes the given endpoint.
    package mutating func take(_ endpoint: Endpoint, in pool: EndpointPool) -> EndpointUse {
        endpoints.append(endpoint)
        return pool.take(endpoint)
    }

    /// Takes the endpoint for a retry; nil when the last outcome is final.
    ///
    /// - Parameter outcome: The status of the response head, or the error before the head.
    package mutating func retry(after outcome: Result<Int, UpstreamError>, in pool: EndpointPool) -> EndpointUse? {
        let retries = AttemptPolicy.retries(
            after: outcome, attempts: endpoints.count, isRepeatable: isRepeatable,
            mayBeElsewhere: { pool.mayHold(model, besides: endpoints) })
        return retries ? next(in: pool) : nil
    }
}
