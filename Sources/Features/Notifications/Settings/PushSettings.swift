package import PushChannels
package import Server

/// The settings of notifications.
package struct PushSettings: Sendable {
    /// All settings of this feature, in the order of `selene config`: those of channels, then those of all.
    package static let all: [Setting] =
        ofChannels.map(Setting.init) + [
            .pushHome, .pushKeepDays, .pushMaxWaiting, .pushPicturesMB, .pushPrivateURLs, .pushNtfyRoot,
        ]

    private static let ofChannels = PushChannelKind.allCases.flatMap { $0.form.settings }

    package var channels = PushChannelSettings()
    /// Days that notifications and their log are kept.
    package var keepDays: Int
    /// Deliveries that may wait at once.
    package var maxWaiting: Int
    /// Megabytes of disk for pictures; 0 for none.
    package var picturesMB: Int
    /// Whether topics of ntfy are at the root, too, not only below `/ntfy`.
    package var hasNtfyRoot: Bool

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        for setting in Self.ofChannels {
            channels[setting] = setting.isPath ? reader.path(Setting(setting)) : reader.text(Setting(setting))
        }
        channels.home = reader.text(.pushHome) ?? ""
        channels.allowsPrivateURLs = try reader.word(.pushPrivateURLs, as: Choice.self) == .true
        keepDays = try reader.integer(.pushKeepDays, in: 1...3650)
        maxWaiting = try reader.integer(.pushMaxWaiting, in: 1...10_000_000)
        picturesMB = try reader.integer(.pushPicturesMB, in: 0...100_000)
        hasNtfyRoot = try reader.word(.pushNtfyRoot, as: Choice.self) == .true
    }

    private enum Choice: String, CaseIterable { case `true`, `false` }
}

extension Setting {
    fileprivate init(_ setting: PushChannelSetting) { self.init(setting.key, default: "", setting.summary) }

    package static let pushHome = Setting(
        "push_home", default: "http://127.0.0.1:5678/", "address of the web client, which notifications open")
    package static let pushKeepDays = Setting(
        "push_keep_days", default: "30", editable: true, "days that notifications and their log are kept")
    package static let pushMaxWaiting = Setting(
        "push_max_waiting", default: "200000", "deliveries that may wait at once; more are refused with 503")
    package static let pushPicturesMB = Setting(
        "push_pictures_mb", default: "128", editable: true,
        "megabytes of disk for pictures of notifications; 0: messages go without")
    package static let pushPrivateURLs = Setting(
        "push_private_urls", default: "false",
        "true: webhooks, requests of buttons and pictures may be of private networks and this machine")
    package static let pushNtfyRoot = Setting(
        "push_ntfy_root", default: "false",
        "true: topics of ntfy are at the root, too (POST /TOPIC), not only below /ntfy")
}
