import Cryptography
import Logging
import Push
import PushChannels

extension PushChannelSet {
    /// The channels of the settings.
    ///
    /// - Parameter database: The path of the database; the provider token of APNs is kept beside it.
    /// - Throws: ``PushFieldError`` with the name of the setting.
    init(_ settings: PushSettings, besides database: String, logger: Logger) throws {
        var channels: [any PushChannel] = [StreamChannel()]
        var webhooks = WebhookSettings()
        webhooks.allowsPrivate = settings.allowsPrivateURLs
        channels.append(WebhookChannel(webhooks))
        if let apns = try Self.apns(settings, besides: database, logger: logger) { channels.append(apns) }
        if let path = settings.vapidKey {
            let signer = try VAPIDSigner(
                key: try PrivateKeyFile.text(path, field: "push_vapid_key"), subject: settings.vapidSubject)
            let services = try PushServices(PushServices.wellKnown + settings.services, field: "push_services")
            channels.append(
                WebPushChannel(
                    WebPushSettings(
                        signer: signer, services: services, home: try PushURL(settings.home, field: "push_home"))))
        }
        self.init(channels)
    }

    /// The channel of APNs; nil without a key.
    ///
    /// - Throws: ``PushFieldError`` with the name of the setting.
    static func apns(
        _ settings: PushSettings, besides database: String, logger: Logger
    ) throws(PushFieldError) -> APNsChannel? {
        guard let path = settings.apnsKey else { return nil }
        let key = try PrivateKeyFile.text(path, field: "push_apns_key")
        let signer = try APNsSigner(keyID: settings.apnsKeyID, teamID: settings.apnsTeamID, key: key)
        var apns = APNsSettings(signer: signer)
        apns.tokenFile = APNsTokenFile(path: tokenPath(of: key, besides: database), of: signer)
        apns.authorities = settings.apnsAuthorities
        if let origin = settings.apnsOrigin {
            let url = try PushURL(origin, field: "push_apns_origin")
            for environment in APNsEnvironment.allCases { apns.origins[environment] = url.origin }
        }
        return APNsChannel(apns, logger: logger)
    }

    /// The path of the provider token of a key. Each key has a file of its own, since a new key may have the ids of a wrong one.
    static func tokenPath(of key: String, besides database: String) -> String {
        let mark = SHA256.hash(data: Array(key.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }
        return "\(database)-apns-token-\(mark.joined())"
    }
}
