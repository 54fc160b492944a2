package import Push

/// The channels that there are: a new one has its case here, and the rest in a folder of its own.
package enum PushChannelKind: String, Sendable, CaseIterable {
    /// Apple's service.
    case apns
    /// Browsers and UnifiedPush apps.
    case webPush = "web_push"
    /// A URL that takes signed requests.
    case webhook
    /// Clients that hold a connection to the gateway.
    case stream

    /// What the channel brings besides sending.
    package var form: any PushChannelForm.Type {
        switch self {
        case .apns: APNsForm.self
        case .webPush: WebPushForm.self
        case .webhook: WebhookForm.self
        case .stream: StreamForm.self
        }
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
}
