import GatewayAPI
import Push
import PushChannels
import PushRoom

/// The address of a device, as it is stored and as channels take it.
enum DeviceTarget {
    /// Reads what a request says of an address; checks all of it.
    ///
    /// - Parameters:
    ///   - bundle: The bundle id of devices that name none.
    ///   - services: The push services that subscriptions may name.
    ///   - allowsPrivate: Whether webhooks may be in private networks.
    /// - Returns: The channel, what makes the address unique, and the JSON; nil for a request without an address.
    static func read(
        _ request: PushDeviceRequest, bundle: String?, services: PushServices, allowsPrivate: Bool
    ) throws(PushRefusal) -> (channel: PushChannelKind, address: String, target: String)? {
        var found: [(channel: PushChannelKind, address: String, target: String)] = []
        if let token = request.apnsToken {
            guard let bundle = request.bundleId ?? bundle else {
                throw .field("bundleId", "is required: the gateway has no bundle id of its own")
            }
            _ = try refusing { () throws(PushFieldError) in try APNsTarget(token: token, bundle: bundle) }
            let digits = token.lowercased()
            var members: [String: JSONValue] = ["token": .string(digits)]
            members["type"] = try type(request.apnsType).map { .string($0.rawValue) }
            found.append((.apns, digits, text(.object(members))))
        } else if let channel = request.apnsChannel {
            guard let bundle = request.bundleId ?? bundle else {
                throw .field("bundleId", "is required: the gateway has no bundle id of its own")
            }
            guard request.apnsType == nil else { throw .field("apnsType", "belongs to a token") }
            do { _ = try APNsTarget(channel: channel, bundle: bundle) } catch {
                throw .field("apnsChannel", error.reason)
            }
            found.append((.apns, "channel \(bundle) \(channel)", text(.object(["channel": .string(channel)]))))
        }
        if let subscription = request.webPush {
            let read = try refusing("webPush.") { () throws(PushFieldError) in
                try WebPushSubscription(subscription, services: services)
            }
            found.append((.webPush, read.endpoint.description, text(read.json)))
        }
        if let webhook = request.webhook {
            let url = try refusing { () throws(PushFieldError) in
                try PushURL(target: webhook.url, field: "webhook.url", allowsPrivate: allowsPrivate)
            }
            if let secret = webhook.secret {
                _ = try refusing { () throws(PushFieldError) in try WebhookSecret(secret, field: "webhook.secret") }
            }
            found.append((.webhook, url.description, Self.webhook(url.description, secret: webhook.secret)))
        }
        if request.stream == true { found.append((.stream, "", "{}")) }
        guard found.count <= 1 else {
            throw .field(
                "apnsToken", "a device has one address: expected one of apnsToken, webPush, webhook and stream")
        }
        return found.first
    }

    /// Reads a kind of push.
    private static func type(_ text: String?) throws(PushRefusal) -> APNsPushType? {
        guard let text else { return nil }
        guard let type = APNsPushType(rawValue: text) else {
            let list = APNsPushType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw .field("apnsType", "expected one of \(list)")
        }
        return type
    }

    /// Whether a device takes only one kind of push, such as the updates of a widget: it gets what names it, and no message
    /// to all.
    static func isSpecial(_ device: StoredPushDevice) -> Bool {
        guard device.channel == PushChannelKind.apns.rawValue else { return false }
        // The address of nearly every device is a token and nothing else, and a message to all looks at all of them.
        let bytes = device.target.utf8
        if bytes.starts(with: #"{"token":""#.utf8), bytes.count(where: { $0 == UInt8(ascii: "\"") }) == 4 {
            return false
        }
        return device.target.contains("\"type\":") || device.target.contains("\"channel\":")
    }

    /// The stored form of a webhook.
    static func webhook(_ url: String, secret: String?) -> String {
        text(.object(["url": .string(url), "secrets": .array(secret.map { [.string($0)] } ?? [])]))
    }

    /// The stored form of the hidden device whose deliveries are requests of buttons.
    static let buttons = #"{"button":true}"#

    /// The target of a stored device, checked again: another program may have changed the row, and the lists of allowed
    /// hosts may have changed since.
    ///
    /// - Parameters:
    ///   - usesOther: Whether the other environment of APNs is to be tried.
    ///   - environment: The environment of devices that name none.
    static func target(
        of device: StoredPushDevice, usesOther: Bool, bundle: String?, environment: APNsEnvironment = .production,
        services: PushServices, allowsPrivate: Bool
    ) throws(PushRefusal) -> PushTarget {
        guard let kind = PushChannelKind(rawValue: device.channel) else {
            throw .field("channel", "the device has the unknown channel \"\(device.channel.prefix(32))\"")
        }
        if kind == .stream { return .stream(device: device.uuid) }
        guard let document = try? JSONDocument(parsing: Array(device.target.utf8)), let value = document.value,
            case .object(let members) = value
        else { throw .field("target", "the device's address cannot be read; register it again") }
        switch kind {
        case .apns:
            guard let bundle = device.bundleID ?? bundle else {
                throw .field("bundleId", "the device has no bundle id; register it again")
            }
            return .apns(
                try apns(
                    members, bundle, device.environment.flatMap(APNsEnvironment.init) ?? environment,
                    usesOther: usesOther))
        case .webPush:
            return .webPush(
                try refusing { () throws(PushFieldError) in try WebPushSubscription(value, services: services) })
        case .webhook where members["button"] == .bool(true):
            return .webhook(try refusing { () throws(PushFieldError) in try WebhookDestination.button() })
        case .webhook:
            guard case .string(let text) = members["url"] else {
                throw .field("url", "the device has no URL; register it again")
            }
            let url = try refusing { () throws(PushFieldError) in
                try PushURL(target: text, field: "url", allowsPrivate: allowsPrivate)
            }
            var secrets: [WebhookSecret] = []
            if case .array(let texts) = members["secrets"] {
                for case .string(let text) in texts.prefix(2) {
                    secrets.append(try refusing { () throws(PushFieldError) in try WebhookSecret(text) })
                }
            }
            return .webhook(WebhookDestination(url: url, secrets: secrets))
        case .stream: return .stream(device: device.uuid)
        }
    }

    private static func apns(
        _ members: [String: JSONValue], _ bundle: String, _ environment: APNsEnvironment, usesOther: Bool
    ) throws(PushRefusal) -> APNsDestination {
        if case .string(let channel)? = members["channel"] {
            let target = try refusing { () throws(PushFieldError) in try APNsTarget(channel: channel, bundle: bundle) }
            return APNsDestination(target, environment: environment)
        }
        guard case .string(let token)? = members["token"] else {
            throw .field("token", "the device has no token; register it again")
        }
        let target = try refusing { () throws(PushFieldError) in try APNsTarget(token: token, bundle: bundle) }
        var destination = APNsDestination(target, environment: usesOther ? environment.other : environment)
        if case .string(let text)? = members["type"] { destination.type = try type(text) }
        return destination
    }

    /// The end of an address, to tell devices apart; never enough to send to it.
    static func hint(of device: StoredPushDevice) -> String {
        guard let document = try? JSONDocument(parsing: Array(device.target.utf8)),
            case .object(let members)? = document.value
        else { return "" }
        if case .string(let token) = members["token"] { return "…" + token.suffix(6) }
        for case .string(let url) in [members["endpoint"], members["url"]].compactMap({ $0 }) {
            return (try? PushURL(url, field: "url"))?.origin ?? ""
        }
        return ""
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.json, as: UTF8.self) }
}
