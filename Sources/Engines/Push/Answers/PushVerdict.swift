package import Schedules

/// What an answer of a push service means for the delivery, for the device and for the channel.
package enum PushVerdict: Sendable, Hashable {
    /// The service took the message.
    case accepted
    /// The service will never take this message. The device stays.
    case refused
    /// A setting is wrong. The device stays; a retry makes sense after an operator changed something.
    case misconfigured
    /// The address is dead. Retire it if the device registered it before this instant; if it registered again since,
    /// keep it and retry.
    case retire(registeredBefore: Instant)
    /// The token may belong to the other environment of APNs: try there once.
    case otherEnvironment
    /// Try again, not before this number of seconds if there is one.
    case retry(after: Int64?)
    /// Sign a new provider token, then try again at once.
    case renewToken
    /// Nothing can be sent through this channel: stop it and tell the operator. The delivery waits.
    case stop
}

/// A verdict with its reason in words.
package struct PushOutcome: Sendable, Hashable {
    /// What to do.
    package let verdict: PushVerdict
    /// The service's own word or the status, and what it means; for logs and for people.
    package let explanation: String

    /// Creates an outcome, such as that of a failure on the way to the service.
    package init(_ verdict: PushVerdict, _ explanation: String) {
        self.verdict = verdict
        self.explanation = explanation
    }
}
