package import Server

/// The settings of notifications.
public struct PushSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`.
    package static let all: [Setting] = [
        .pushBundleID, .pushKeepDays, .pushMaxWaiting, .pushPrivateURLs, .pushServices,
    ]

    /// The bundle id of apps that name none.
    public var bundleID: String?
    /// Days that notifications and their log are kept.
    public var keepDays: Int
    /// Deliveries that may wait at once.
    public var maxWaiting: Int
    /// Whether webhooks and requests of buttons may go to private networks.
    public var allowsPrivateURLs: Bool
    /// The hosts of push services that subscriptions may name, besides the well-known ones.
    public var services: [String]

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        bundleID = reader.text(.pushBundleID).flatMap { $0.isEmpty ? nil : $0 }
        keepDays = try reader.integer(.pushKeepDays, in: 1...3650)
        maxWaiting = try reader.integer(.pushMaxWaiting, in: 1...10_000_000)
        allowsPrivateURLs = try reader.word(.pushPrivateURLs, as: Choice.self) == .true
        services = (reader.text(.pushServices) ?? "").split(separator: ",").map { text in
            String(text.drop(while: \.isWhitespace))
        }.filter { !$0.isEmpty }
    }

    private enum Choice: String, CaseIterable { case `true`, `false` }
}

extension Setting {
    package static let pushBundleID = Setting(
        "push_bundle_id", default: "", "bundle id of apps that name none when they register")
    package static let pushKeepDays = Setting(
        "push_keep_days", default: "30", "days that notifications and their log are kept")
    package static let pushMaxWaiting = Setting(
        "push_max_waiting", default: "200000", "deliveries that may wait at once; more are refused with 503")
    package static let pushPrivateURLs = Setting(
        "push_private_urls", default: "false",
        "true: webhooks and requests of buttons may go to private networks and to this machine")
    package static let pushServices = Setting(
        "push_services", default: "",
        "hosts of push services besides the well-known ones, separated by commas, such as ntfy.example.com")
}
