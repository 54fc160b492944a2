import Schedules
import Testing

@testable import Delivery

struct DecisionTests {
    private static let zone = (try? ZoneDatabase().rules("Europe/Berlin")) ?? .utc

    /// An instant by the clock in Berlin, in the winter of 2026 an hour before UTC.
    private static func berlin(_ text: String) -> Instant {
        WallTime(parsing: text).flatMap { zone.instants(of: $0).first } ?? .earliest
    }

    private static let night = QuietHours.Window(start: 22 * 60, end: 7 * 60)
    private static let quiet = night.flatMap { QuietHours(windows: [$0], breakThrough: .high) }
    private static let digest = DigestRule(upTo: .low, minutes: [8 * 60, 18 * 60], zone: zone)
    private static let rate = RateLimit(burst: 2, interval: 60_000, breakThrough: .emergency)
    private static let noon = berlin("2026-11-23T12:00")
    private static let late = berlin("2026-11-23T23:30")

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var message = DeliveryMessage(id: "m", topic: "news")
        var policy = DeliveryPolicy(zone: zone)
        var now = noon
        var state = DeliveryState()
        var outcome: DeliveryDecision.Outcome
        var rule: DeliveryDecision.Rule?
    }

    private static func message(
        _ priority: DeliveryPriority = .normal, notBefore: Instant? = nil, expires: Instant? = nil
    ) -> DeliveryMessage {
        DeliveryMessage(id: "m", topic: "news", priority: priority, notBefore: notBefore, expires: expires)
    }

    private static func policy(
        mutes: [Mute] = [], digest: DigestRule? = nil, quiet: QuietHours? = nil, rate: RateLimit? = nil
    ) -> DeliveryPolicy {
        DeliveryPolicy(zone: zone, mutes: mutes, digest: digest, quiet: quiet, rate: rate)
    }

    /// Two tokens were taken at noon.
    private static let used = DeliveryState(bucket: TokenBucket(fullAt: noon.adding(seconds: 120)))

    static let cases: [Case] = [
        Case(testDescription: "no rules", outcome: .send),
        Case(
            testDescription: "superseded", state: DeliveryState(supersededBy: "n"), outcome: .drop, rule: .collapse),
        Case(testDescription: "expired now", message: message(expires: noon), outcome: .drop, rule: .expiry),
        Case(testDescription: "expires later", message: message(expires: late), outcome: .send),
        Case(testDescription: "device muted", policy: policy(mutes: [Mute()]), outcome: .drop, rule: .mute),
        Case(
            testDescription: "topic muted", policy: policy(mutes: [Mute(topic: "news", until: late)]), outcome: .drop,
            rule: .mute),
        Case(testDescription: "other topic muted", policy: policy(mutes: [Mute(topic: "mail")]), outcome: .send),
        Case(testDescription: "mute over", policy: policy(mutes: [Mute(until: noon)]), outcome: .send),
        Case(
            testDescription: "mute broken", message: message(.emergency),
            policy: policy(mutes: [Mute(breakThrough: .emergency)]), outcome: .send),
        Case(
            testDescription: "one of two mutes broken", message: message(.emergency),
            policy: policy(mutes: [Mute(breakThrough: .emergency), Mute(topic: "news")]), outcome: .drop, rule: .mute),
        Case(
            testDescription: "not before", message: message(notBefore: late), outcome: .hold(until: late),
            rule: .notBefore),
        Case(
            testDescription: "expires before its time",
            message: message(notBefore: late, expires: late.adding(seconds: -60)),
            outcome: .hold(until: late.adding(seconds: -60)), rule: .notBefore),
        Case(
            testDescription: "quiet", policy: policy(quiet: quiet), now: late,
            outcome: .hold(until: berlin("2026-11-24T07:00")), rule: .quietHours),
        Case(testDescription: "quiet by day", policy: policy(quiet: quiet), outcome: .send),
        Case(
            testDescription: "quiet broken", message: message(.high), policy: policy(quiet: quiet), now: late,
            outcome: .send),
        Case(
            testDescription: "expires in the quiet", message: message(expires: berlin("2026-11-24T05:00")),
            policy: policy(quiet: quiet), now: late, outcome: .hold(until: berlin("2026-11-24T05:00")),
            rule: .quietHours),
        Case(testDescription: "too urgent for a digest", policy: policy(digest: digest), outcome: .send),
        Case(
            testDescription: "expires before the digest", message: message(.low, expires: noon.adding(seconds: 60)),
            policy: policy(digest: digest), outcome: .send),
        Case(
            testDescription: "a digest",
            message: DeliveryMessage(id: "d", topic: "news", priority: .low, isDigest: true),
            policy: policy(digest: digest), outcome: .send),
        Case(
            testDescription: "rate", policy: policy(rate: rate), state: used,
            outcome: .hold(until: noon.adding(seconds: 60)), rule: .rate),
        Case(
            testDescription: "rate broken", message: message(.emergency), policy: policy(rate: rate), state: used,
            outcome: .send),
        Case(
            testDescription: "rate, a minute later", policy: policy(rate: rate), now: noon.adding(seconds: 60),
            state: used, outcome: .send),
        Case(
            testDescription: "quiet before rate", policy: policy(quiet: quiet, rate: rate), now: late, state: used,
            outcome: .hold(until: berlin("2026-11-24T07:00")), rule: .quietHours),
    ]

    @Test(arguments: cases) func `each rule decides`(example: Case) {
        let decision = example.policy.decide(example.message, at: example.now, state: example.state)
        #expect(decision.outcome == example.outcome)
        #expect(decision.rule == example.rule)
        if case .send = example.outcome {
            #expect(decision.steps.map(\.rule) == DeliveryDecision.Rule.allCases)
        } else {
            #expect(decision.bucket == example.state.bucket)
        }
    }

    @Test func `a message of low priority waits for the next digest`() throws {
        let policy = Self.policy(digest: Self.digest, quiet: Self.quiet)
        let decision = policy.decide(Self.message(.low), at: Self.noon, state: DeliveryState())
        guard case .merge(let digest) = decision.outcome else {
            Issue.record("\(decision.outcome)")
            return
        }
        #expect(digest.instant == Self.berlin("2026-11-23T18:00"))
        #expect(digest.id(schedule: "d") == "d/2026-11-23T18:00:00/0")
    }

    @Test func `the explanation names each rule that was tried`() {
        let policy = Self.policy(
            mutes: [Mute(topic: "news", breakThrough: .normal)], quiet: Self.quiet, rate: Self.rate)
        let message = Self.message(expires: Self.berlin("2026-11-30T00:00"))
        let decision = policy.decide(message, at: Self.late, state: DeliveryState())
        #expect(
            decision.explanation(in: Self.zone) == [
                "collapse: passes: no newer message of the same key waits",
                "expiry: passes: it expires at 2026-11-30 00:00:00 Europe/Berlin",
                "mute: breaks through: priority normal is high enough",
                "not before: passes: its time has come",
                "digest: passes: no digest for this topic",
                "quiet hours: decides: quiet hours 22:00–07:00 last until 2026-11-24 07:00:00 Europe/Berlin",
                "held until 2026-11-24 07:00:00 Europe/Berlin, then decided again",
            ])
    }

    @Test func `only the newest message of a key waits`() {
        let waiting = [("a", "x"), ("b", nil), ("c", "x"), ("d", "y"), ("e", "x")].map {
            DeliveryMessage(id: $0, topic: "t", collapseKey: $1)
        }
        #expect(DeliveryMessage.superseded(among: waiting) == ["a": "e", "c": "e"])
    }
}
