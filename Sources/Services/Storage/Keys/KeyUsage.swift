/// What was done with a key.
public struct KeyUsage: Sendable, Hashable {
    /// Requests to routes, those that were refused among them.
    public var requests: Int
    /// Requests that the key's own terms refused: scope, model, expiry, rate or quota.
    public var refused: Int
    /// Tokens of prompts.
    public var promptTokens: Int
    /// Tokens of answers.
    public var completionTokens: Int

    /// Creates a count.
    public init(requests: Int = 0, refused: Int = 0, promptTokens: Int = 0, completionTokens: Int = 0) {
        self.requests = requests
        self.refused = refused
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
    }

    /// Tokens of prompts and answers: what a quota counts.
    public var tokens: Int { promptTokens.addingWithoutOverflow(completionTokens) }

    /// Adds another count.
    public mutating func add(_ other: KeyUsage) {
        requests = requests.addingWithoutOverflow(other.requests)
        refused = refused.addingWithoutOverflow(other.refused)
        promptTokens = promptTokens.addingWithoutOverflow(other.promptTokens)
        completionTokens = completionTokens.addingWithoutOverflow(other.completionTokens)
    }
}

/// One key's one day.
public struct KeyDay: Hashable, Sendable {
    /// The key's row.
    public var key: Int64
    /// The day.
    public var day: UTCDay

    /// Creates a name for the usage of a key on a day.
    public init(key: Int64, day: UTCDay) {
        self.key = key
        self.day = day
    }
}

extension Int {
    /// The sum, or the largest number when it is larger than that.
    public func addingWithoutOverflow(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
