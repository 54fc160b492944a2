/// Counts the use of a key.
public struct KeyUsage: Sendable, Hashable {
    /// Number of requests, refused requests included.
    public var requests: Int
    /// Number of requests refused by the key's grant: scope, model, expiry, rate or quota.
    public var refused: Int
    /// Number of prompt tokens.
    public var promptTokens: Int
    /// Number of answer tokens.
    public var completionTokens: Int

    /// Creates a count.
    public init(requests: Int = 0, refused: Int = 0, promptTokens: Int = 0, completionTokens: Int = 0) {
        self.requests = requests
        self.refused = refused
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
    }

    /// The sum of prompt and answer tokens, which a quota limits.
    public var tokens: Int { promptTokens.addingWithoutOverflow(completionTokens) }

    /// Adds another count.
    public mutating func add(_ other: KeyUsage) {
        requests = requests.addingWithoutOverflow(other.requests)
        refused = refused.addingWithoutOverflow(other.refused)
        promptTokens = promptTokens.addingWithoutOverflow(other.promptTokens)
        completionTokens = completionTokens.addingWithoutOverflow(other.completionTokens)
    }
}

/// Identifies the usage of one key on one day.
public struct KeyDay: Hashable, Sendable {
    /// The key's row id.
    public var key: Int64
    /// The day.
    public var day: UTCDay

    /// Creates an identifier of a key's day.
    public init(key: Int64, day: UTCDay) {
        self.key = key
        self.day = day
    }
}

extension Int {
    /// Returns the sum, or `Int.max` on overflow.
    public func addingWithoutOverflow(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
