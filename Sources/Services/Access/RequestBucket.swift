/// A token bucket that limits a key's requests a minute.
///
/// It holds the requests of one minute and refills evenly, so after a quiet minute all of them may come at once.
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

    /// Limits written by other programs may be out of range; 0 would mean an endless wait.
    private static func possible(_ limit: Int) -> Int { min(max(1, limit), 1_000_000_000) }

    /// Takes a request out.
    ///
    /// - Parameters:
    ///   - limit: The key's current requests a minute. When the limit is edited, the requests already used stay used.
    /// - Returns: nil when the request may proceed, else the time until the next one may.
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
        // A client that waited exactly as long as requested must not fail because of rounding.
        if level >= 1 - 1e-9 {
            level = max(0, level - 1)
            return nil
        }
        return .seconds((1 - level) / perSecond)
    }

    /// Whether nothing of the minute is used.
    func isFull(at now: ContinuousClock.Instant) -> Bool {
        level + max(0, (now - filledAt) / .seconds(60)) * Double(capacity) >= Double(capacity)
    }

    /// Puts one request back.
    mutating func giveBack() { level = min(Double(capacity), level + 1) }
}
