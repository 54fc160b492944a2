package import Server

/// The settings of what the console shows.
public struct ConsoleSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.requestLog, .requestLogDays]

    /// Whether requests are stored.
    public var keepsRequests: Bool
    /// How many days they are kept.
    public var days: Int

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        keepsRequests = try reader.word(.requestLog, as: Switch.self) == .on
        days = try reader.integer(.requestLogDays, in: 1...3650)
    }
}

extension Setting {
    package static let requestLog = Setting(
        "request_log", default: "on", "off: keep no log of requests in the file beside the database")
    package static let requestLogDays = Setting(
        "request_log_days", default: "7", "days that requests are kept, at most 1,000,000 of them and 512 MiB")
}
