import Schedules
import TestSupport
import Testing

@testable import Delivery

struct RepeatTests {
    private let now = Instant(seconds: 1_800_000_000)

    @Test func `an emergency repeats with longer pauses until its end`() {
        let rule = EmergencyRepeat(interval: 60, factor: 2, longest: 400, limit: 50, lifetime: 1800)
        var pauses: [Int64] = []
        var last = now
        while case .again(let next) = rule.next(times: pauses.count + 1, first: now, last: last, isAcknowledged: false)
        {
            pauses.append(next.seconds - last.seconds)
            last = next
        }
        #expect(pauses == [60, 120, 240, 400, 400, 400])
        #expect(rule.next(times: 7, first: now, last: last, isAcknowledged: false) == .expired)
        #expect(rule.next(times: 2, first: now, last: now, isAcknowledged: true) == .acknowledged)
        #expect(rule.next(times: 50, first: now, last: now, isAcknowledged: false) == .limitReached)
        #expect(rule.next(times: .max, first: now, last: now, isAcknowledged: false) == .limitReached)
        let steady = EmergencyRepeat(interval: 1, factor: 0)
        #expect(steady.pause(after: 40) == 30)
    }

    @Test func `retries back off within their bounds`() {
        let schedule = RetrySchedule(base: 1000, longest: 60_000, attempts: 12)
        for seed in UInt64(0)..<200 {
            for attempt in 1..<12 {
                let backOff: Int64 = min(1000 << Int64(attempt - 1), 60_000)
                guard case .retry(let at) = schedule.next(attempt: attempt, now: now, seed: seed) else {
                    Issue.record("no retry after attempt \(attempt)")
                    continue
                }
                #expect((backOff / 2...backOff).contains(at.milliseconds - now.milliseconds))
            }
        }
        #expect(schedule.next(attempt: 12, now: now, seed: 1) == .attemptsUsed)
        #expect(schedule.next(attempt: 3, now: now, seed: 1) == schedule.next(attempt: 3, now: now, seed: 1))
        #expect(schedule.next(attempt: 1, now: now, expires: now.adding(milliseconds: 400), seed: 1) == .expires)
        #expect(schedule.next(attempt: .min, now: now, seed: .max) != .attemptsUsed)
    }

    @Test(
        arguments: [(0, 0), (-5, 0), (120, 120), (3600, 3600), (1_000_000, 3600), (.max, 3600), (.min, 0)]
            as [(Int64, Int64)])
    func `Retry-After is respected up to its bound`(retryAfter: Int64, atLeast: Int64) {
        let schedule = RetrySchedule(base: 1000, longestRetryAfter: 3_600_000)
        for seed in UInt64(0)..<50 {
            guard case .retry(let at) = schedule.next(attempt: 1, now: now, retryAfter: retryAfter, seed: seed) else {
                Issue.record("no retry")
                return
            }
            let delay = at.milliseconds - now.milliseconds
            #expect((max(atLeast * 1000, 500)...atLeast * 1000 + 1000).contains(delay))
        }
    }

    @Test func `the jitter spreads deliveries that failed together`() {
        let schedule = RetrySchedule(base: 10_000)
        let instants = Set((UInt64(0)..<1000).map { seed in "\(schedule.next(attempt: 1, now: now, seed: seed))" })
        #expect(instants.count > 800)
    }
}
