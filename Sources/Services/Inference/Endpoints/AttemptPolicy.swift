package import Transport

/// Whether a request that one endpoint did not answer is tried at another one: outcome in, decision out.
///
/// Pure: what the endpoints hold comes from outside.
package enum AttemptPolicy {
    /// Endpoints that one request is tried at, at most.
    package static let maxAttempts = 3

    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - outcome: The status of the response head, or why there is none.
    ///   - attempts: The attempts up to now, this one included.
    ///   - isRepeatable: Whether the whole request can be sent again.
    ///   - mayBeElsewhere: Whether an endpoint that was not tried may hold the model; called only for a 404.
    package static func retries(
        after outcome: Result<Int, UpstreamError>, attempts: Int, isRepeatable: Bool, mayBeElsewhere: () -> Bool
    ) -> Bool {
        guard isRepeatable, attempts < maxAttempts else { return false }
        switch outcome {
        case .failure(let error): return retries(after: error)
        case .success(404): return mayBeElsewhere()
        case .success(let status): return status >= 500
        }
    }

    /// Whether another endpoint may answer instead, as long as nothing of a response has come.
    ///
    /// Not after the first byte's timeout: the client has waited for long, and the work may still go on.
    private static func retries(after error: UpstreamError) -> Bool {
        switch error.code {
        case .refused, .dns, .connectTimeout, .tls, .cut, .protocolViolation, .shuttingDown: true
        default: false
        }
    }
}

/// The attempts of one request: which endpoints it was sent to, and which one is next.
///
/// ``AttemptPolicy`` decides whether there is a next one, ``EndpointPool`` which one it is.
package struct RequestAttempts {
    /// The model that the choice depends on, as Ollama knows it; nil when the request names none.
    private let model: String?
    private let isSameEverywhere: Bool
    /// Whether the whole request can be sent again.
    package let isRepeatable: Bool
    /// The endpoints of the attempts, in order.
    package private(set) var endpoints: [Endpoint] = []

    /// Creates the attempts of a request that was not sent yet.
    ///
    /// - Parameters:
    ///   - isSameEverywhere: See ``EndpointPool/take(model:isSameEverywhere:after:)``.
    ///   - isRepeatable: Whether the whole request can be sent again.
    package init(model: String?, isSameEverywhere: Bool, isRepeatable: Bool) {
        self.model = model
        self.isSameEverywhere = isSameEverywhere
        self.isRepeatable = isRepeatable
    }

    /// Takes an endpoint that was not tried; nil when there is none.
    package mutating func next(in pool: EndpointPool) -> EndpointUse? {
        guard let use = pool.take(model: model, isSameEverywhere: isSameEverywhere, after: endpoints) else {
            return nil
        }
        endpoints.append(use.endpoint)
        return use
    }

    /// Takes a certain endpoint.
    package mutating func take(_ endpoint: Endpoint, in pool: EndpointPool) -> EndpointUse {
        endpoints.append(endpoint)
        return pool.take(endpoint)
    }

    /// Takes the endpoint for another attempt; nil when the outcome of the last one is the answer.
    ///
    /// - Parameter outcome: The status of the response head, or why there is none.
    package mutating func retry(after outcome: Result<Int, UpstreamError>, in pool: EndpointPool) -> EndpointUse? {
        let retries = AttemptPolicy.retries(
            after: outcome, attempts: endpoints.count, isRepeatable: isRepeatable,
            mayBeElsewhere: { pool.mayHold(model, besides: endpoints) })
        return retries ? next(in: pool) : nil
    }
}
