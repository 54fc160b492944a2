/// How many requests a key has left in this minute: a token bucket.
///
/// It holds a minute's worth and fills up evenly, so after a quiet minute all of it may go at once.
struct RequestBucket: Sendable {
    private var level: Double
    private var capacity: Int
    private var filledAt: ContinuousClock.Instant

    /// Creates a full bucket.
    init(perMinute capacity: Int, at now: ContinuousClock.Instant) {
        self.capacity = Self.possible(capacity)
        level = Double(self.capacity)
        filledAt = now
    }

    /// A row that another program wrote may say anything; 0 would be a wait without end.
    private static func possible(_ limit: Int) -> Int { min(max(1, limit), 1_000_000_000) }

    /// Takes a request out.
    ///
    /// - Parameters:
    ///   - limit: Requests in a minute, as the key says now: an edit keeps what was used, in requests.
    /// - Returns: Nil when the request may go on, else how long it takes until the next one may.
    mutating func take(perMinute limit: Int, at now: ContinuousClock.Instant) -> Duration? {
        let limit = Self.possible(limit)
        if limit != capacity {
            level = max(0, level + Double(limit - capacity))
            capacity = limit
        }
        let perSecond = Double(limit) / 60
        if now > filledAt {
            level = min(Double(limit), level + (now - filledAt) / .seconds(1) * perSecond)
            filledAt = now
        }
        // A client that waited for exactly as long as it was told must not fail for a rounding error.
        if level >= 1 - 1e-9 {
            level = max(0, level - 1)
            return nil
        }
        return .seconds((1 - level) / perSecond)
    }
}
