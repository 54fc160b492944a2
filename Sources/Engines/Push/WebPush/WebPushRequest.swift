import Delivery
package import Schedules

/// The header fields of a request to a push service (RFC 8030), without `authorization`.
package enum WebPushRequest {
    /// The longest time that a service stores a message, in seconds: 28 days, the limit of FCM.
    package static let longest: Int64 = 28 * 86_400

    /// Returns the fields.
    ///
    /// `topic` lets a newer message replace one that still waits for the device. Without a collapse id it is the
    /// delivery's id, so that a repeated request replaces the first one.
    ///
    /// - Parameter id: The delivery's id.
    package static func headers(
        of message: PushMessage, to subscription: WebPushSubscription, id: String, now: Instant
    ) -> [PushHeader] {
        let left = message.expires.map { $0.seconds - now.seconds } ?? longest
        return [
            PushHeader("content-type", "application/octet-stream"), PushHeader("content-encoding", "aes128gcm"),
            PushHeader("ttl", String(min(max(left, 0), longest))),
            PushHeader("urgency", urgency(of: message, at: subscription.endpoint)),
            PushHeader("topic", CollapseName.webPush(message.collapseID ?? id)),
        ]
    }

    private static func urgency(of message: PushMessage, at endpoint: PushURL) -> String {
        switch message.priority {
        case .minimum: return "very-low"
        case .low: return "low"
        case .normal:
            // iOS delays messages that are not urgent until the device is in use.
            if case .name(let name) = endpoint.host, name.hasSuffix(".push.apple.com") { return "high" }
            return "normal"
        case .high, .emergency: return "high"
        }
    }
}
