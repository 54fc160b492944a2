package import Delivery
package import Schedules

/// What happens to a delivery after an attempt.
package enum PushStep: Sendable, Hashable {
    /// Why a delivery is given up.
    package enum Reason: String, Sendable {
        /// The service will never take the message.
        case refused
        /// A setting is wrong; a retry by hand may help.
        case misconfigured
        /// The device's address is dead.
        case retired
        /// All attempts were made.
        case attemptsUsed = "attempts used"
        /// The message is worthless by then.
        case expired
    }

    /// It is delivered to the service.
    case delivered
    /// Try again at this instant.
    case again(at: Instant)
    /// Try again now, in the other environment of APNs.
    case againElsewhere
    /// Sign a new provider token, then try again now.
    case againWithNewToken
    /// Give it up and retire the device.
    case retireDevice
    /// Keep it waiting, and send nothing through this channel until an operator changed something.
    case stopChannel
    /// Give it up.
    case dead(Reason)
}

/// A delivery after its latest attempt, as far as it matters for the next step.
package struct PushProgress: Sendable, Hashable {
    /// The number of attempts, from 1.
    package var attempt: Int
    /// When the device registered its address for the last time.
    package var registered: Instant
    /// When the message becomes worthless.
    package var expires: Instant?
    /// Spreads the retries of deliveries that failed together, such as a hash of the delivery's id.
    package var seed: UInt64

    package init(attempt: Int, registered: Instant, expires: Instant? = nil, seed: UInt64) {
        self.attempt = attempt
        self.registered = registered
        self.expires = expires
        self.seed = seed
    }

    /// The next step after a verdict. The number of attempts bounds all retries, also those without a pause.
    package func step(after verdict: PushVerdict, now: Instant, schedule: RetrySchedule) -> PushStep {
        switch verdict {
        case .accepted: return .delivered
        case .refused: return .dead(.refused)
        case .misconfigured: return .dead(.misconfigured)
        case .stop: return isExpired(now) ? .dead(.expired) : .stopChannel
        case .retire(let instant):
            // A device that registered again since has a living address.
            return registered < instant ? .retireDevice : retry(after: nil, now, schedule)
        case .retry(let seconds): return retry(after: seconds, now, schedule)
        case .otherEnvironment: return atOnce(.againElsewhere, now, schedule)
        case .renewToken: return atOnce(.againWithNewToken, now, schedule)
        }
    }

    private func isExpired(_ now: Instant) -> Bool { expires.map { $0 <= now } ?? false }

    private func atOnce(_ step: PushStep, _ now: Instant, _ schedule: RetrySchedule) -> PushStep {
        guard attempt < schedule.attempts else { return .dead(.attemptsUsed) }
        return isExpired(now) ? .dead(.expired) : step
    }

    private func retry(after seconds: Int64?, _ now: Instant, _ schedule: RetrySchedule) -> PushStep {
        switch schedule.next(attempt: attempt, now: now, retryAfter: seconds, expires: expires, seed: seed) {
        case .retry(let instant): .again(at: instant)
        case .attemptsUsed: .dead(.attemptsUsed)
        case .expires: .dead(.expired)
        }
    }
}
