package import GatewayAPI
package import Logging
package import Push
package import PushRoom

/// URLs that get signed requests.
package struct WebhookForm: PushChannelForm {
    package static let fields = ["webhook"]
    package static let needsSender = true

    private let allowsPrivate: Bool

    package init(_ settings: PushChannelSettings) { allowsPrivate = settings.allowsPrivateURLs }

    package func channel(_ logger: Logger) -> WebhookChannel? {
        var settings = WebhookSettings()
        settings.allowsPrivate = allowsPrivate
        return WebhookChannel(settings)
    }

    package func address(in request: PushDeviceRequest) throws(PushFieldError) -> PushAddress? {
        guard let webhook = request.webhook else { return nil }
        let url = try PushURL(target: webhook.url, field: "webhook.url", allowsPrivate: allowsPrivate).description
        if let secret = webhook.secret { _ = try WebhookSecret(secret, field: "webhook.secret") }
        return (url, Self.target(url, secret: webhook.secret))
    }

    package func target(of device: StoredPushDevice, usesOther: Bool) throws(PushFieldError) -> PushTarget {
        let members = try device.members()
        if members["button"] == .bool(true) { return .webhook(try WebhookDestination.button()) }
        guard case .string(let text)? = members["url"] else {
            throw PushFieldError("url", "the device has no URL; register it again")
        }
        let url = try PushURL(target: text, field: "url", allowsPrivate: allowsPrivate)
        var secrets: [WebhookSecret] = []
        if case .array(let texts)? = members["secrets"] {
            for case .string(let text) in texts.prefix(2) { secrets.append(try WebhookSecret(text)) }
        }
        return .webhook(WebhookDestination(url: url, secrets: secrets))
    }

    /// The stored form of a webhook.
    package static func target(_ url: String, secret: String?) -> String {
        JSONValue.object(["url": .string(url), "secrets": .array(secret.map { [.string($0)] } ?? [])]).text
    }

    /// The stored form of the hidden device whose deliveries are requests of buttons.
    package static let buttons = #"{"button":true}"#
}
