/// How urgent a request is.
public enum AdmissionPriority: Int, Sendable, Hashable, CaseIterable {
    /// Somebody waits for the answer: a query, a generation.
    case interactive
    /// Nobody looks at it now: documents that are embedded, background work.
    case batch
}

/// Who asks for a place at the upstream, and how urgently.
public struct AdmissionCaller: Sendable, Hashable {
    /// The identity among which places are shared out evenly. The server chooses it (a key's id, for example); taken
    /// from a header, it would let a client be as many callers as it likes.
    public var identity: String
    /// How urgent it is.
    public var priority: AdmissionPriority

    /// Creates a caller.
    public init(_ identity: String, _ priority: AdmissionPriority = .interactive) {
        self.identity = identity
        self.priority = priority
    }
}

/// What an admission lets through and keeps waiting.
public struct AdmissionLimits: Sendable, Hashable {
    /// Requests that the upstream has at once; at least 1.
    public var maxInFlight: Int
    /// Requests that may wait, all identities and priorities together.
    public var maxWaiting: Int
    /// Requests of one identity that may wait, so that one alone cannot fill the room.
    public var maxWaitingPerIdentity: Int
    /// Batch requests that may wait, so that an interactive one finds room behind any number of them.
    public var maxWaitingBatch: Int
    /// While both priorities wait, at least one grant in so many is for batch; at least 2.
    public var batchShare: Int

    /// Creates limits; out of range ones are moved into range.
    ///
    /// - Parameters:
    ///   - maxInFlight: Requests that the upstream has at once.
    ///   - maxWaiting: Requests that may wait.
    ///   - maxWaitingPerIdentity: Three quarters of `maxWaiting`, rounded up, when nil.
    ///   - maxWaitingBatch: Three quarters of `maxWaiting`, rounded up, when nil.
    ///   - batchShare: At least one grant in so many is for batch while it waits.
    public init(
        maxInFlight: Int, maxWaiting: Int, maxWaitingPerIdentity: Int? = nil, maxWaitingBatch: Int? = nil,
        batchShare: Int = 8
    ) {
        self.maxInFlight = max(1, maxInFlight)
        self.maxWaiting = max(0, maxWaiting)
        let most = (self.maxWaiting * 3 + 3) / 4
        self.maxWaitingPerIdentity = min(self.maxWaiting, max(0, maxWaitingPerIdentity ?? most))
        self.maxWaitingBatch = min(self.maxWaiting, max(0, maxWaitingBatch ?? most))
        self.batchShare = max(2, batchShare)
    }
}
