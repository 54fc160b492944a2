import GatewayAPI
package import Schedules

/// A request to APNs, without its `authorization`, which changes from attempt to attempt.
package struct APNsRequest: Sendable, Hashable {
    /// The largest payload of a broadcast, in bytes.
    package static let broadcastLimit = 5120

    /// The path below ``APNsEnvironment/origin``.
    package let path: String
    /// The header fields.
    package let headers: [PushHeader]
    /// The payload.
    package let body: [UInt8]

    /// Makes the request of a delivery. Every attempt has the same id, so that a repeated push replaces the first one.
    ///
    /// - Parameters:
    ///   - message: Checked before.
    ///   - type: nil for the type that fits the message.
    ///   - id: The delivery's id, a UUID in lower case.
    ///   - now: A message that expired by then is sent with the wish not to be stored.
    /// - Throws: ``PushFieldError`` for a message that lacks what the type needs, and for a payload that is too large.
    package init(
        _ message: PushMessage, type: APNsPushType? = nil, to target: APNsTarget, id: String, now: Instant
    ) throws(PushFieldError) {
        let type = type ?? APNsPushType(for: message)
        guard Self.isUUID(id) else { throw PushFieldError("id", "expected a UUID in lower case") }
        body = try APNsPayload.value(of: message, type: type, id: id).json
        let expires = type.isImmediate ? 0 : message.expires.map { $0 <= now ? 0 : $0.seconds }
        var headers = [
            PushHeader("apns-push-type", type.rawValue),
            PushHeader("apns-priority", String(type.priority(of: message))),
        ]
        let limit: Int
        switch target.address {
        case .device(let token):
            limit = type.payloadLimit
            path = "/3/device/" + token
            headers.append(PushHeader("apns-topic", target.bundle + type.topicSuffix))
            headers.append(PushHeader("apns-id", id))
            if let expires { headers.append(PushHeader("apns-expiration", String(expires))) }
            if type == .alert {
                headers.append(PushHeader("apns-collapse-id", CollapseName.apns(message.collapseID ?? id)))
            }
        case .channel(let channel):
            guard type == .liveActivity, message.activity?.event != .start else {
                throw PushFieldError("activity", "a broadcast channel carries updates and ends of Live Activities only")
            }
            limit = Self.broadcastLimit
            path = "/4/broadcasts/apps/" + target.bundle
            headers.append(PushHeader("apns-channel-id", channel))
            headers.append(PushHeader("apns-request-id", id))
            // Required here; 0 suits channels that store nothing.
            headers.append(PushHeader("apns-expiration", String(expires ?? 0)))
        }
        self.headers = headers
        guard body.count <= limit else {
            throw PushFieldError("payload", "expected at most \(limit) bytes of JSON for APNs, got \(body.count)")
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        var position = 0
        for byte in text.utf8 {
            guard position < 36 else { return false }
            let isHyphen = [8, 13, 18, 23].contains(position)
            guard isHyphen ? byte == UInt8(ascii: "-") : byte.isDigit || (0x61...0x66).contains(byte) else {
                return false
            }
            position += 1
        }
        return position == 36
    }
}
