package import Schedules

/// What becomes of a message now, and why.
package struct DeliveryDecision: Sendable, Equatable {
    /// What becomes of it.
    package enum Outcome: Sendable, Equatable {
        /// Send it now; store ``DeliveryDecision/bucket``.
        case send
        /// Decide again at this instant, which is later than now.
        case hold(until: Instant)
        /// Put it into the digest of this occurrence; its id names the digest.
        case merge(into: Occurrence)
        /// It is never sent.
        case drop
    }

    /// The rules, in the order in which they are tried.
    package enum Rule: String, Sendable, CaseIterable {
        /// A newer message of the same collapse key takes its place.
        case collapse
        /// It is worthless by now.
        case expiry
        /// The topic or the device is muted.
        case mute
        /// Its time has not come.
        case notBefore = "not before"
        /// It waits for a digest.
        case digest
        /// The device has to stay silent.
        case quietHours = "quiet hours"
        /// The topic has sent enough for now.
        case rate
    }

    /// What a rule said.
    package struct Step: Sendable, Equatable {
        /// How a rule ends.
        package enum Verdict: String, Sendable {
            /// The rule does not apply.
            case passes
            /// The rule would apply; the priority breaks through it.
            case breaksThrough = "breaks through"
            /// The rule decided; those after it were not tried.
            case decides
        }

        package let rule: Rule
        /// How it ended.
        package let verdict: Verdict
        /// Why, in words, with times of the device's zone.
        package let reason: String
    }

    /// What becomes of the message.
    package let outcome: Outcome
    /// The rules that were tried, in order. A message is sent if none decides.
    package let steps: [Step]
    /// The tokens of the topic after the decision.
    package let bucket: TokenBucket

    /// The rule that decided; nil for a message that is sent.
    package var rule: Rule? { steps.last { $0.verdict == .decides }?.rule }
}

extension DeliveryDecision {
    /// The explanation in lines for a person: each rule with what it said, then the outcome.
    package func explanation(in zone: ZoneRules) -> [String] {
        var lines = steps.map { "\($0.rule.rawValue): \($0.verdict.rawValue): \($0.reason)" }
        switch outcome {
        case .send: lines.append("sent: no rule holds it back")
        case .hold(let instant): lines.append("held until \(zone.clock(at: instant)), then decided again")
        case .merge(let digest): lines.append("merged into the digest of \(zone.clock(at: digest.instant))")
        case .drop: lines.append("dropped")
        }
        return lines
    }
}

extension ZoneRules {
    /// An instant as the clock of the zone shows it, such as `2026-11-23 07:00:00 Europe/Berlin`.
    func clock(at instant: Instant) -> String {
        let text = wall(at: instant).description
        return "\(text.prefix(10)) \(text.dropFirst(11)) \(name)"
    }
}
