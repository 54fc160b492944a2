/// The priority of a request.
package enum AdmissionPriority: Int, Sendable, Hashable, CaseIterable {
    /// A person waits for the answer: a query, a generation.
    case interactive
    /// Background work, such as embedding documents.
    case batch
}

/// The caller of a request for a place: identity and priority.
package struct AdmissionCaller: Sendable, Hashable {
    /// The identity for fair sharing, chosen by the server (a key's id, for example). If it came from a header, a
    /// client could pose as many callers.
    package var identity: String
    /// The priority of the request.
    package var priority: AdmissionPriority
    /// The model that the request needs, in its canonical form; nil when unknown.
    package private(set) var model: String?

    package init(_ identity: String, _ priority: AdmissionPriority = .interactive) {
        self.identity = identity
        self.priority = priority
    }

    /// The caller of a request that needs a model.
    package func wanting(_ model: String?) -> Self {
        var caller = self
        caller.model = model.map(ModelName.canonical)
        return caller
    }
}

package struct AdmissionLimits: Sendable, Hashable {
    /// The maximum number of requests in flight; at least 1.
    package var maxInFlight: Int
    /// The maximum number of waiting requests, over all identities and priorities.
    package var maxWaiting: Int
    /// The maximum number of waiting requests of one identity, so that no identity fills the queue.
    package var maxWaitingPerIdentity: Int
    /// The maximum number of waiting batch requests, so that they never fill the queue.
    package var maxWaitingBatch: Int
    /// While both priorities wait, at least one grant in this many is for batch; at least 2.
    package var batchShare: Int
    /// How long a request may wait for others whose model the upstream has at hand, beyond its turn.
    package var modelPatience: Duration

    /// Creates limits. Values out of range are clamped.
    ///
    /// - Parameters:
    ///   - maxInFlight: The maximum number of requests in flight.
    ///   - maxWaiting: The maximum number of waiting requests.
    ///   - maxWaitingPerIdentity: Three quarters of `maxWaiting`, rounded up, when nil.
    ///   - maxWaitingBatch: Three quarters of `maxWaiting`, rounded up, when nil.
    ///   - batchShare: While both priorities wait, at least one grant in this many is for batch.
    ///   - modelPatience: How long a request may wait for others whose model is at hand, beyond its turn; zero for strict turns.
    package init(
        maxInFlight: Int, maxWaiting: Int, maxWaitingPerIdentity: Int? = nil, maxWaitingBatch: Int? = nil,
        batchShare: Int = 8, modelPatience: Duration = .seconds(20)
    ) {
        self.maxInFlight = max(1, maxInFlight)
        self.maxWaiting = max(0, maxWaiting)
        let most = (self.maxWaiting * 3 + 3) / 4
        self.maxWaitingPerIdentity = min(self.maxWaiting, max(0, maxWaitingPerIdentity ?? most))
        self.maxWaitingBatch = min(self.maxWaiting, max(0, maxWaitingBatch ?? most))
        self.batchShare = max(2, batchShare)
        self.modelPatience = max(.zero, modelPatience)
    }
}
