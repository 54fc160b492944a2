import Schedules
import TestSupport
import Testing

@testable import Delivery

/// Days of one device with random rules and messages: what must hold whatever they are.
struct DeliveryPropertyTests {
    private struct Sent {
        var message: DeliveryMessage
        var at: Instant
    }

    private static let start = Instant(seconds: 1_792_000_000)

    private func message(_ number: Int, _ generator: inout SeededGenerator) -> (DeliveryMessage, Instant) {
        let came = Self.start.adding(milliseconds: .random(in: 0...4 * 86_400_000, using: &generator))
        func later(_ range: ClosedRange<Int64>) -> Instant {
            came.adding(milliseconds: .random(in: range, using: &generator))
        }
        let message = DeliveryMessage(
            id: "m\(number)", topic: "t", priority: DeliveryPriority.allCases.randomElement(using: &generator) ?? .low,
            notBefore: Int.random(in: 0..<5, using: &generator) == 0 ? later(0...86_400_000) : nil,
            expires: Int.random(in: 0..<3, using: &generator) == 0 ? later(1...172_800_000) : nil)
        return (message, came)
    }

    private func policy(_ generator: inout SeededGenerator) throws -> DeliveryPolicy {
        let names = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo", "UTC"]
        let zone = try ZoneDatabase().rules(names.randomElement(using: &generator) ?? "UTC")
        var policy = DeliveryPolicy(zone: zone)
        let windows = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
            QuietHours.Window(
                start: Int.random(in: 0..<1440, using: &generator), end: Int.random(in: 1...1440, using: &generator))
        }
        let priority = DeliveryPriority.allCases.randomElement(using: &generator)
        policy.quiet = QuietHours(windows: windows, breakThrough: Bool.random(using: &generator) ? priority : nil)
        if Bool.random(using: &generator) {
            policy.digest = DigestRule(
                upTo: .low, minutes: [Int.random(in: 0..<1440, using: &generator), 600], zone: zone)
        }
        if Bool.random(using: &generator) {
            policy.rate = RateLimit(
                burst: Int.random(in: 1...4, using: &generator),
                interval: Int64.random(in: 1000...3_600_000, using: &generator))
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            policy.mutes = [Mute(until: Self.start.adding(seconds: 86_400), breakThrough: .high)]
        }
        return policy
    }

    @Test func `each message is sent once, dropped once, or in one digest that is sent`() throws {
        var generator = SeededGenerator(41)
        var outcomes: [String: Int] = [:]
        for _ in 0..<150 {
            let policy = try policy(&generator)
            var due = (0..<40).map { message($0, &generator) }
            let all = Set(due.map(\.0.id))
            var bucket = TokenBucket()
            var sent: [Sent] = []
            var dropped: [String] = []
            var merged: [Instant: [DeliveryMessage]] = [:]
            var steps = 0
            while let index = due.indices.min(by: { due[$0].1 < due[$1].1 }) {
                let (message, now) = due.remove(at: index)
                steps += 1
                guard steps < 20_000 else {
                    Issue.record("decisions do not end")
                    break
                }
                let decision = policy.decide(message, at: now, state: DeliveryState(bucket: bucket))
                switch decision.outcome {
                case .send:
                    sent.append(Sent(message: message, at: now))
                    bucket = decision.bucket
                case .drop:
                    dropped.append(message.id)
                    #expect([.expiry, .mute].contains(decision.rule))
                case .hold(let until):
                    #expect(until > now)
                    #expect(message.expires.map { until <= $0 } ?? true)
                    due.append((message, until))
                case .merge(let digest):
                    #expect(digest.instant > now && !message.isDigest)
                    if merged[digest.instant] == nil {
                        let id = "digest \(digest.instant)"
                        due.append((DeliveryMessage(id: id, topic: "t", isDigest: true), digest.instant))
                    }
                    merged[digest.instant, default: []].append(message)
                }
            }
            // Everything went exactly one way.
            let inDigests = merged.values.flatMap { $0.map(\.id) }
            let ways =
                sent.filter { !$0.message.isDigest }.map(\.message.id) + inDigests
                + dropped.filter { $0.hasPrefix("m") }
            #expect(ways.count == all.count && Set(ways) == all)
            let digests = sent.filter(\.message.isDigest).map(\.message.id) + dropped.filter { $0.hasPrefix("digest") }
            #expect(Set(digests) == Set(merged.keys.map { "digest \($0)" }) && digests.count == merged.count)
            for messages in merged.values {
                let content = try #require(DigestContent(messages, showing: 3))
                let shown = content.shown + content.counted
                #expect(Set(shown.map(\.id)) == Set(messages.map(\.id)) && shown.count == messages.count)
                #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.priority >= $1.priority })
                #expect(content.shown.count == min(3, messages.count))
            }
            for item in sent {
                #expect(item.message.expires.map { item.at < $0 } ?? true)
                #expect(item.message.notBefore.map { item.at >= $0 } ?? true)
                if let quiet = policy.quiet, let end = quiet.end(after: item.at, in: policy.zone) {
                    #expect(quiet.isBroken(by: item.message.priority), "quiet until \(end)")
                }
            }
            if let rate = policy.rate {
                for first in sent.indices {
                    for last in first..<sent.count where last - first >= rate.burst {
                        let span = sent[last].at.milliseconds - sent[first].at.milliseconds
                        #expect(span >= rate.interval * Int64(last - first + 1 - rate.burst))
                    }
                }
            }
            outcomes["sent", default: 0] += sent.count
            outcomes["merged", default: 0] += inDigests.count
            outcomes["dropped", default: 0] += dropped.count
        }
        for way in ["sent", "merged", "dropped"] { #expect((outcomes[way] ?? 0) > 300, "\(outcomes)") }
    }
}
