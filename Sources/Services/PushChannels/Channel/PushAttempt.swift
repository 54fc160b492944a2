package import Push
package import Schedules

/// One attempt to send a delivery.
package struct PushAttempt: Sendable {
    /// The delivery's id, a UUID in lower case. All attempts have the same one.
    package var id: String
    /// The message. Its collapse id and its expiry go with it; without a collapse id the delivery's id is used.
    package var message: PushMessage
    /// The topic that the message was sent to; webhooks get it.
    package var topic: String
    /// Where it goes.
    package var target: PushTarget
    /// When the message was stored.
    package var created: Instant
    /// The time of this attempt.
    package var now: Instant
    /// What happened to earlier attempts.
    package var history: History

    /// What earlier attempts of this delivery and earlier pushes to this device were answered.
    package struct History: Sendable, Hashable {
        /// Whether the service ever accepted a push for this address in this environment.
        package var addressHasWorked: Bool
        /// Whether the other environment of APNs refused the token before.
        package var triedOtherEnvironment: Bool
        /// Whether a new provider token was signed because of this delivery.
        package var renewedToken: Bool

        package init(
            addressHasWorked: Bool = false, triedOtherEnvironment: Bool = false, renewedToken: Bool = false
        ) {
            self.addressHasWorked = addressHasWorked
            self.triedOtherEnvironment = triedOtherEnvironment
            self.renewedToken = renewedToken
        }
    }

    package init(
        id: String, message: PushMessage, topic: String, target: PushTarget, created: Instant, now: Instant,
        history: History = History()
    ) {
        self.id = id
        self.message = message
        self.topic = topic
        self.target = target
        self.created = created
        self.now = now
        self.history = history
    }
}
