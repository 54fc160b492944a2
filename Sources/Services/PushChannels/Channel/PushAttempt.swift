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

/// Where a delivery goes.
package enum PushTarget: Sendable {
    /// A device of Apple's, or a broadcast channel of Live Activities.
    case apns(APNsDestination)
    /// A browser or a UnifiedPush app.
    case webPush(WebPushSubscription)
    /// A URL.
    case webhook(WebhookDestination)
    /// A client with a connection to the gateway, by the id of its device.
    case stream(device: String)

    /// The kind of channel that sends there.
    package var kind: PushChannelKind {
        switch self {
        case .apns: .apns
        case .webPush: .webPush
        case .webhook: .webhook
        case .stream: .stream
        }
    }
}

/// A target of APNs with what it was registered with.
package struct APNsDestination: Sendable, Hashable {
    /// The token and the app.
    package var target: APNsTarget
    /// Where the token is valid.
    package var environment: APNsEnvironment
    /// The type of the push; nil for the type that fits the message.
    package var type: APNsPushType?

    package init(_ target: APNsTarget, environment: APNsEnvironment, type: APNsPushType? = nil) {
        self.target = target
        self.environment = environment
        self.type = type
    }
}

/// A webhook with its secrets.
package struct WebhookDestination: Sendable {
    package var url: PushURL
    /// The secret; two while it is changed, none for a receiver that does not check.
    package var secrets: [WebhookSecret]
    /// Whether the message's only button is the request: its URL, method, header fields and body, without a signature.
    package private(set) var isButton = false

    /// The destination of messages whose only button is a request that the gateway sends.
    package static func button() throws(PushFieldError) -> WebhookDestination {
        var destination = WebhookDestination(url: try PushURL("https://button.invalid/", field: "url"), secrets: [])
        destination.isButton = true
        return destination
    }

    package init(url: PushURL, secrets: [WebhookSecret]) {
        self.url = url
        self.secrets = secrets
    }
}
