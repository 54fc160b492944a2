package import Schedules

/// The rules of one device for messages of one topic.
package struct DeliveryPolicy: Sendable {
    /// The device's zone: quiet hours are by its clock.
    package var zone: ZoneRules
    /// Mutes of the device.
    package var mutes: [Mute]
    /// When messages wait for a digest; nil if they do not.
    package var digest: DigestRule?
    /// When the device stays silent; nil if it never has to.
    package var quiet: QuietHours?
    /// How many messages of the topic come in which time; nil for any number.
    package var rate: RateLimit?

    /// Creates a policy. Without rules, every message is sent at once.
    package init(
        zone: ZoneRules, mutes: [Mute] = [], digest: DigestRule? = nil, quiet: QuietHours? = nil,
        rate: RateLimit? = nil
    ) {
        self.zone = zone
        self.mutes = mutes
        self.digest = digest
        self.quiet = quiet
        self.rate = rate
    }
}

/// What happened before, as far as it matters for the decision.
package struct DeliveryState: Sendable, Equatable {
    /// The id of a newer waiting message with the same collapse key, see ``DeliveryMessage/superseded(among:)``.
    package var supersededBy: String?
    /// The tokens of the message's topic on this device.
    package var bucket: TokenBucket

    /// Creates a state; the bucket is full at first.
    package init(supersededBy: String? = nil, bucket: TokenBucket = TokenBucket()) {
        self.supersededBy = supersededBy
        self.bucket = bucket
    }
}
