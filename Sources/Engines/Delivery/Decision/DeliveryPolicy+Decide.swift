package import Schedules

extension DeliveryPolicy {
    /// Decides whether a message goes out now, later, in a digest or not at all.
    ///
    /// A pure function: the caller gives the time, stores the returned bucket if the message is sent, and asks again
    /// when a hold ends. A hold ends after `now` and not after the message expires, so a held message is sent, merged
    /// or expires in the end. Nothing is sent in quiet hours unless its priority breaks through.
    package func decide(_ message: DeliveryMessage, at now: Instant, state: DeliveryState) -> DeliveryDecision {
        var trial = Trial(zone: zone, message: message, now: now)
        let outcome =
            collapse(state, &trial) ?? expiry(&trial) ?? mute(&trial) ?? notBefore(&trial) ?? digest(&trial)
            ?? quiet(&trial)
        if let outcome { return DeliveryDecision(outcome: outcome, steps: trial.steps, bucket: state.bucket) }
        var bucket = state.bucket
        let held = take(from: &bucket, &trial)
        return DeliveryDecision(outcome: held ?? .send, steps: trial.steps, bucket: bucket)
    }

    private typealias Outcome = DeliveryDecision.Outcome

    /// The rules that were tried so far.
    private struct Trial {
        let zone: ZoneRules
        let message: DeliveryMessage
        let now: Instant
        var steps: [DeliveryDecision.Step] = []

        mutating func add(
            _ rule: DeliveryDecision.Rule, _ verdict: DeliveryDecision.Step.Verdict, _ reason: String
        ) {
            steps.append(DeliveryDecision.Step(rule: rule, verdict: verdict, reason: reason))
        }

        /// Holds the message, until it expires at most.
        mutating func hold(_ rule: DeliveryDecision.Rule, until instant: Instant, _ reason: String) -> Outcome {
            guard let expires = message.expires, expires < instant else {
                add(rule, .decides, reason)
                return .hold(until: instant)
            }
            add(rule, .decides, "\(reason); it expires before that, at \(zone.clock(at: expires))")
            return .hold(until: expires)
        }
    }

    private func collapse(_ state: DeliveryState, _ trial: inout Trial) -> Outcome? {
        guard let newer = state.supersededBy else {
            trial.add(.collapse, .passes, "no newer message of the same key waits")
            return nil
        }
        trial.add(.collapse, .decides, "message \(newer) of the same key is newer")
        return .drop
    }

    private func expiry(_ trial: inout Trial) -> Outcome? {
        guard let expires = trial.message.expires else {
            trial.add(.expiry, .passes, "it does not expire")
            return nil
        }
        guard expires <= trial.now else {
            trial.add(.expiry, .passes, "it expires at \(zone.clock(at: expires))")
            return nil
        }
        trial.add(.expiry, .decides, "it expired at \(zone.clock(at: expires))")
        return .drop
    }

    private func mute(_ trial: inout Trial) -> Outcome? {
        let active = mutes.filter { $0.isActive(at: trial.now) && $0.covers(topic: trial.message.topic) }
        guard let mute = active.first(where: { !$0.isBroken(by: trial.message.priority) }) else {
            let reason = active.isEmpty ? "no mute covers it" : "priority \(trial.message.priority) is high enough"
            trial.add(.mute, active.isEmpty ? .passes : .breaksThrough, reason)
            return nil
        }
        let end = mute.until.map { "until \(zone.clock(at: $0))" } ?? "without an end"
        trial.add(.mute, .decides, "\(mute.topic.map { "topic \($0)" } ?? "the device") is muted \(end)")
        return .drop
    }

    private func notBefore(_ trial: inout Trial) -> Outcome? {
        guard let start = trial.message.notBefore, start > trial.now else {
            trial.add(.notBefore, .passes, "its time has come")
            return nil
        }
        return trial.hold(.notBefore, until: start, "not before \(zone.clock(at: start))")
    }

    private func digest(_ trial: inout Trial) -> Outcome? {
        guard let digest, !trial.message.isDigest else {
            trial.add(.digest, .passes, trial.message.isDigest ? "it is a digest" : "no digest for this topic")
            return nil
        }
        guard trial.message.priority <= digest.upTo else {
            trial.add(.digest, .breaksThrough, "only priorities up to \(digest.upTo) wait for a digest")
            return nil
        }
        guard let next = digest.next(after: trial.now) else {
            trial.add(.digest, .passes, "no digest follows")
            return nil
        }
        if let expires = trial.message.expires, expires <= next.instant {
            trial.add(.digest, .passes, "it expires before the next digest")
            return nil
        }
        trial.add(.digest, .decides, "the next digest is at \(zone.clock(at: next.instant))")
        return .merge(into: next)
    }

    private func quiet(_ trial: inout Trial) -> Outcome? {
        guard let quiet, let end = quiet.end(after: trial.now, in: zone) else {
            trial.add(.quietHours, .passes, quiet == nil ? "the device has none" : "it is \(zone.clock(at: trial.now))")
            return nil
        }
        if quiet.isBroken(by: trial.message.priority) {
            trial.add(.quietHours, .breaksThrough, "priority \(trial.message.priority) is high enough")
            return nil
        }
        return trial.hold(.quietHours, until: end, "\(quiet) last until \(zone.clock(at: end))")
    }

    private func take(from bucket: inout TokenBucket, _ trial: inout Trial) -> Outcome? {
        guard let rate else {
            trial.add(.rate, .passes, "the topic has no limit")
            return nil
        }
        if let free = bucket.take(at: trial.now, limit: rate) {
            if rate.isBroken(by: trial.message.priority) {
                trial.add(.rate, .breaksThrough, "priority \(trial.message.priority) is high enough")
                return nil
            }
            return trial.hold(.rate, until: free, "\(rate) are used up until \(zone.clock(at: free))")
        }
        trial.add(.rate, .passes, "within \(rate)")
        return nil
    }
}
