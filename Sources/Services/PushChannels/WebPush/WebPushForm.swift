import GatewayAPI
import Logging
import Push
import PushRoom
import Schedules

/// Subscriptions of browsers and UnifiedPush apps, and the key that signs for them.
struct WebPushForm: PushChannelForm {
    private static let path = PushChannelSetting(
        key: "push_vapid_key", isPath: true,
        summary: "path of the key that signs Web Push, mode 0600; empty: no Web Push")
    private static let subject = PushChannelSetting(
        key: "push_vapid_subject", summary: "how push services reach you: mailto: and an address, or an https URL")
    private static let hosts = PushChannelSetting(
        key: "push_services",
        summary: "hosts of push services besides the well-known ones, separated by commas, such as ntfy.example.com")

    static let settings = [path, subject, hosts]
    static let key: PushChannelSetting? = path
    static let fields = ["webPush"]

    private let settings: PushChannelSettings

    init(_ settings: PushChannelSettings) { self.settings = settings }

    func channel(_ logger: Logger) throws(PushFieldError) -> WebPushChannel? {
        let services = try services()
        guard let path = settings[Self.path] else { return nil }
        let signer = try VAPIDSigner(
            key: try PrivateKeyFile.text(path, field: Self.path.key), subject: settings[Self.subject] ?? "")
        return WebPushChannel(
            WebPushSettings(signer: signer, services: services, home: try PushURL(settings.home, field: "push_home")))
    }

    /// The push services that subscriptions may name.
    private func services() throws(PushFieldError) -> PushServices {
        let hosts = (settings[Self.hosts] ?? "").split(separator: ",").map { String($0.drop(while: \.isWhitespace)) }
        return try PushServices(PushServices.wellKnown + hosts.filter { !$0.isEmpty }, field: Self.hosts.key)
    }

    func address(in request: PushDeviceRequest) throws(PushFieldError) -> PushAddress? {
        guard let value = request.webPush else { return nil }
        let services = try services()
        do throws(PushFieldError) {
            let subscription = try WebPushSubscription(value, services: services)
            return (subscription.endpoint.description, subscription.json.text)
        } catch {
            throw PushFieldError("webPush.\(error.field)", error.reason)
        }
    }

    func target(of device: StoredPushDevice, usesOther: Bool) throws(PushFieldError) -> PushTarget {
        .webPush(try WebPushSubscription(.object(try device.members()), services: try services()))
    }

    func keyFinding(_ now: Instant) -> PushFinding? {
        settings[Self.path].map { PushDoctor.vapidKey($0, subject: settings[Self.subject] ?? "", now: now) }
            ?? PushFinding("Web Push key", .ok, "none, so no browser gets notifications (\(Self.path.variable))")
    }

    /// Looks at the other settings; no service has to be asked.
    func serviceFindings(_ logger: Logger, _ now: Instant) throws(PushFieldError) -> [PushFinding] {
        if keyFinding(now)?.severity == .ok { _ = try channel(logger) }
        return []
    }
}
