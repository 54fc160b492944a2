/// Counts the use of a key.
package struct KeyUsage: Sendable, Hashable {
    /// Number of requests, refused requests included.
    package var requests: Int
    /// Number of requests refused by the key's grant: scope, model, expiry, rate or quota.
    package var refused: Int
    /// Number of prompt tokens.
    package var promptTokens: Int
    /// Number of answer tokens.
    package var completionTokens: Int
    /// What the tokens cost by the price list of the time.
    package var cost: Money

    /// Creates a count.
    package init(
        requests: Int = 0, refused: Int = 0, promptTokens: Int = 0, completionTokens: Int = 0, cost: Money = .zero
    ) {
        self.requests = requests
        self.refused = refused
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
        self.cost = cost
    }

    /// The sum of prompt and answer tokens, which a quota limits.
    package var tokens: Int { promptTokens.addingWithoutOverflow(completionTokens) }

    /// Adds another count.
    package mutating func add(_ other: KeyUsage) {
        requests = requests.addingWithoutOverflow(other.requests)
        refused = refused.addingWithoutOverflow(other.refused)
        promptTokens = promptTokens.addingWithoutOverflow(other.promptTokens)
        completionTokens = completionTokens.addingWithoutOverflow(other.completionTokens)
        cost += other.cost
    }
}

/// What a key has spent of its quotas.
package struct KeySpending: Sendable, Hashable {
    /// Prompt and answer tokens of a day.
    package var tokens: Int
    /// The cost of the month with that day.
    package var cost: Money

    package init(tokens: Int = 0, cost: Money = .zero) { (self.tokens, self.cost) = (tokens, cost) }

    /// Adds the usage of a day of the month.
    package mutating func add(_ usage: KeyUsage, isToday: Bool) {
        if isToday { tokens = tokens.addingWithoutOverflow(usage.tokens) }
        cost += usage.cost
    }
}

/// Identifies the usage of one key on one day.
package struct KeyDay: Hashable, Sendable {
    /// The key's row id.
    package var key: Int64
    package var day: UTCDay

    /// Creates an identifier of a key's day.
    package init(key: Int64, day: UTCDay) {
        self.key = key
        self.day = day
    }
}

extension Int {
    /// Returns the sum, or `Int.max` on overflow.
    package func addingWithoutOverflow(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
