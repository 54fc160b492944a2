package import Server

/// The settings of notifications.
package struct PushSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .pushAPNsKey, .pushAPNsKeyID, .pushAPNsTeamID, .pushAPNsAuthorities, .pushAPNsOrigin, .pushVAPIDKey,
        .pushVAPIDSubject, .pushHome, .pushBundleID, .pushKeepDays, .pushMaxWaiting, .pushPicturesMB, .pushPrivateURLs,
        .pushServices, .pushNtfyRoot,
    ]

    /// The path of Apple's `AuthKey_….p8`; nil without APNs.
    package var apnsKey: String?
    package var apnsKeyID: String
    package var apnsTeamID: String
    /// A file with the certificates of the authorities that APNs is trusted by; nil for those of the system.
    package var apnsAuthorities: String?
    /// An origin that takes the place of Apple's in both environments; nil for Apple's.
    package var apnsOrigin: String?
    /// The path of the key that signs Web Push; nil without Web Push.
    package var vapidKey: String?
    /// How push services reach the operator.
    package var vapidSubject: String
    /// The address of the web client, which notifications open.
    package var home: String
    /// The bundle id of apps that name none.
    package var bundleID: String?
    /// Whether devices that name no environment are of the sandbox; no setting of its own.
    package var isAPNsSandbox = false
    /// Days that notifications and their log are kept.
    package var keepDays: Int
    /// Deliveries that may wait at once.
    package var maxWaiting: Int
    /// Megabytes of disk for pictures; 0 for none.
    package var picturesMB: Int
    /// Whether webhooks, requests of buttons and pictures may be of private networks.
    package var allowsPrivateURLs: Bool
    /// The hosts of push services that subscriptions may name, besides the well-known ones.
    package var services: [String]
    /// Whether topics of ntfy are at the root, too, not only below `/ntfy`.
    package var hasNtfyRoot: Bool

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        apnsKey = Self.filled(reader.path(.pushAPNsKey))
        apnsKeyID = reader.text(.pushAPNsKeyID) ?? ""
        apnsTeamID = reader.text(.pushAPNsTeamID) ?? ""
        apnsAuthorities = Self.filled(reader.path(.pushAPNsAuthorities))
        apnsOrigin = Self.filled(reader.text(.pushAPNsOrigin))
        vapidKey = Self.filled(reader.path(.pushVAPIDKey))
        vapidSubject = reader.text(.pushVAPIDSubject) ?? ""
        home = reader.text(.pushHome) ?? ""
        bundleID = reader.text(.pushBundleID).flatMap { $0.isEmpty ? nil : $0 }
        keepDays = try reader.integer(.pushKeepDays, in: 1...3650)
        maxWaiting = try reader.integer(.pushMaxWaiting, in: 1...10_000_000)
        picturesMB = try reader.integer(.pushPicturesMB, in: 0...100_000)
        allowsPrivateURLs = try reader.word(.pushPrivateURLs, as: Choice.self) == .true
        services = (reader.text(.pushServices) ?? "").split(separator: ",").map { text in
            String(text.drop(while: \.isWhitespace))
        }.filter { !$0.isEmpty }
        hasNtfyRoot = try reader.word(.pushNtfyRoot, as: Choice.self) == .true
    }

    private static func filled(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    private enum Choice: String, CaseIterable { case `true`, `false` }
}

extension Setting {
    package static let pushAPNsKey = Setting(
        "push_apns_key", default: "", "path of Apple's AuthKey_….p8, mode 0600; empty: no APNs")
    package static let pushAPNsKeyID = Setting("push_apns_key_id", default: "", "id of the key of APNs")
    package static let pushAPNsTeamID = Setting("push_apns_team_id", default: "", "id of the team at Apple")
    package static let pushAPNsAuthorities = Setting(
        "push_apns_authorities", default: "", "file with the authorities (PEM) to trust for APNs; empty: the system's")
    package static let pushAPNsOrigin = Setting(
        "push_apns_origin", default: "",
        "origin in place of Apple's, such as https://api.push.apple.com:2197; empty: Apple's")
    package static let pushVAPIDKey = Setting(
        "push_vapid_key", default: "", "path of the key that signs Web Push, mode 0600; empty: no Web Push")
    package static let pushVAPIDSubject = Setting(
        "push_vapid_subject", default: "", "how push services reach you: mailto: and an address, or an https URL")
    package static let pushHome = Setting(
        "push_home", default: "http://127.0.0.1:5678/", "address of the web client, which notifications open")
    package static let pushBundleID = Setting(
        "push_bundle_id", default: "", "bundle id of apps that name none when they register")
    package static let pushKeepDays = Setting(
        "push_keep_days", default: "30", "days that notifications and their log are kept")
    package static let pushMaxWaiting = Setting(
        "push_max_waiting", default: "200000", "deliveries that may wait at once; more are refused with 503")
    package static let pushPicturesMB = Setting(
        "push_pictures_mb", default: "128", "megabytes of disk for pictures of notifications; 0: messages go without")
    package static let pushPrivateURLs = Setting(
        "push_private_urls", default: "false",
        "true: webhooks, requests of buttons and pictures may be of private networks and this machine")
    package static let pushServices = Setting(
        "push_services", default: "",
        "hosts of push services besides the well-known ones, separated by commas, such as ntfy.example.com")
    package static let pushNtfyRoot = Setting(
        "push_ntfy_root", default: "false",
        "true: topics of ntfy are at the root, too (POST /TOPIC), not only below /ntfy")
}
