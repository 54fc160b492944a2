package import Push
package import Schedules

/// Sends deliveries to one kind of devices.
///
/// A channel makes one attempt and says what came of it. It stores nothing and repeats nothing: the outbox decides by the
/// verdict, see ``PushProgress/step(after:now:schedule:)``. Every attempt of a delivery has the same id and the same
/// collapse id, so that a repeated push replaces the first one.
package protocol PushChannel: Sendable {
    /// The kind of targets that the channel sends to.
    var kind: PushChannelKind { get }

    /// The most deliveries that should be in ``send(_:)`` at once. More of them wait inside, up to a bound.
    var capacity: Int { get }

    /// Whether the channel sends, and why not.
    var state: PushChannelState { get }

    /// The public key that clients need to register; nil for a channel without one.
    var publicKey: String? { get }

    /// Checks that a message fits the target and the limits of the service. To be called before the message is stored.
    ///
    /// - Throws: ``PushFieldError`` with the field of the message or of the target.
    func check(_ attempt: PushAttempt) throws(PushFieldError)

    /// Makes one attempt. Ends within ``PushLimits/attempt`` seconds, whatever the service does.
    ///
    /// A failure of the network or of the service is a report, too. After a verdict ``PushVerdict/renewToken`` the channel
    /// has the new token already: the next attempt says so in its history. After ``PushVerdict/stop`` all attempts are
    /// reported as stopped, without the network, until ``resume()``.
    func send(_ attempt: PushAttempt) async -> PushReport

    /// Sends again after a stop: an operator changed something, or wants a test.
    func resume()

    /// Takes no more attempts, waits for those that run, and ends the rest at the deadline.
    func shutdown(within timeout: Duration) async
}

extension PushChannel {
    package var publicKey: String? { nil }
    /// Always ready: what is wrong with one device is the matter of its deliveries.
    package var state: PushChannelState { .ready }
    package func resume() {}
}

/// Whether a channel sends.
package enum PushChannelState: Sendable, Hashable {
    /// It sends.
    case ready
    /// It sends nothing until an operator changed something.
    case stopped(PushStop)
}

/// Why and since when a channel sends nothing.
package struct PushStop: Sendable, Hashable {
    /// The service's word and what it means, for people.
    package var reason: String
    /// When the service said so.
    package var since: Instant

    package init(reason: String, since: Instant) {
        self.reason = reason
        self.since = since
    }
}

/// Bounds of every channel.
package enum PushLimits {
    /// Seconds after which an attempt has ended.
    package static let attempt = 30
    /// Bytes of an answer's body that are read.
    package static let answer = 4096
    /// Bytes of an answer's body that a report repeats.
    package static let excerpt = 200
}
