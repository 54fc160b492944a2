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
        if let path = settings.apnsKey {
            let signer = try APNsSigner(
                keyID: settings.apnsKeyID, teamID: settings.apnsTeamID,
                key: try PrivateKeyFile.text(path, field: "push_apns_key"))
            var apns = APNsSettings(signer: signer)
            apns.tokenFile = APNsTokenFile(path: "\(database)-apns-token", of: signer)
            apns.authorities = settings.apnsAuthorities
            if let origin = settings.apnsOrigin {
                let url = try PushURL(origin, field: "push_apns_origin")
                for environment in APNsEnvironment.allCases { apns.origins[environment] = url.origin }
            }
            channels.append(APNsChannel(apns, logger: logger))
        }
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
}
