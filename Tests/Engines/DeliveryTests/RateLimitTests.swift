import Schedules
import TestSupport
import Testing

@testable import Delivery

struct RateLimitTests {
    private let now = Instant(seconds: 1_800_000_000)

    @Test func `a burst, then one each interval`() {
        let limit = RateLimit(burst: 3, interval: 1000)
        var bucket = TokenBucket()
        for _ in 0..<3 { #expect(bucket.take(at: now, limit: limit) == nil) }
        #expect(bucket.take(at: now, limit: limit) == now.adding(seconds: 1))
        #expect(bucket.take(at: now.adding(milliseconds: 999), limit: limit) == now.adding(seconds: 1))
        #expect(bucket.take(at: now.adding(seconds: 1), limit: limit) == nil)
        #expect(bucket.take(at: now.adding(seconds: 1), limit: limit) == now.adding(seconds: 2))
    }

    @Test func `a clock that jumps back delays by one interval at most`() {
        let limit = RateLimit(burst: 3, interval: 1000)
        var bucket = TokenBucket(fullAt: now.adding(seconds: 1_000_000))
        #expect(bucket.take(at: now, limit: limit) == now.adding(seconds: 1))
        // Nothing overflows at the ends of time.
        var extreme = TokenBucket(fullAt: .latest)
        _ = extreme.take(at: .earliest, limit: RateLimit(burst: .max, interval: .max))
        _ = extreme.take(at: .latest, limit: RateLimit(burst: .min, interval: .min))
    }

    /// Against a bucket that counts its tokens in fractions.
    @Test func `tokens are those of a bucket that is refilled evenly`() {
        var generator = SeededGenerator(51)
        for _ in 0..<200 {
            let limit = RateLimit(
                burst: Int.random(in: 1...6, using: &generator), interval: Int64.random(in: 1...50, using: &generator))
            var bucket = TokenBucket()
            // In units of 1 / interval.
            var tokens = Int64(limit.burst) * limit.interval
            var time: Int64 = 0
            for _ in 0..<200 {
                let pause = Int64.random(in: 0...60, using: &generator)
                time += pause
                tokens = min(tokens + pause, Int64(limit.burst) * limit.interval)
                let isFree = tokens >= limit.interval
                if isFree { tokens -= limit.interval }
                let wait = bucket.take(at: Instant(milliseconds: time), limit: limit)
                #expect(wait == (isFree ? nil : Instant(milliseconds: time + limit.interval - tokens)))
            }
        }
    }
}
