/// The priority of a request.
package enum AdmissionPriority: Int, Sendable, Hashable, CaseIterable {
    /// A person with a key of high priority waits.
    case preferred
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
    /// The size of the prompt in bytes; 0 when unknown.
    package private(set) var size = 0
    /// How many requests in flight the caller's keys may have.
    package var ceilings: [AdmissionCeiling] = []

    package init(_ identity: String, _ priority: AdmissionPriority = .interactive) {
        self.identity = identity
        self.priority = priority
    }

    /// The caller of a request that needs a model.
    ///
    /// - Parameter size: The size of the prompt in bytes, from which the queue learns how long a request takes; 0 when unknown.
    package func wanting(_ model: String?, size: Int = 0) -> Self {
        var caller = self
        caller.model = model.map(ModelName.canonical)
        caller.size = size
        return caller
    }
}

/// A limit of requests in flight, which other requests count for, too.
package struct AdmissionCeiling: Sendable, Hashable {
    /// What the requests are counted by.
    package var name: String
    /// The maximum number of requests in flight; at least 1.
    package var places: Int

    package init(name: String, places: Int) { (self.name, self.places) = (name, max(1, places)) }
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
    /// While requests of a lower priority wait, at least one grant in this many is for them; at least 2.
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
    ///   - batchShare: While requests of a lower priority wait, at least one grant in this many is for them.
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
