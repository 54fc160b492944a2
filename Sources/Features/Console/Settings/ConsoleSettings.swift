package import Server

/// The settings of what the console shows.
package struct ConsoleSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.requestLog, .requestLogDays, .evaluations]

    /// Whether requests are stored.
    package var keepsRequests: Bool
    /// How many days they are kept.
    package var days: Int
    /// The folder of collections that retrieval is measured on; nil for none.
    package var evaluations: String?

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        keepsRequests = try reader.word(.requestLog, as: Switch.self) == .on
        days = try reader.integer(.requestLogDays, in: 1...3650)
        evaluations = reader.path(.evaluations)
    }
}

extension Setting {
    package static let requestLog = Setting(
        "request_log", default: "on", editable: true, "off: keep no log of requests in the file beside the database")
    package static let requestLogDays = Setting(
        "request_log_days", default: "7", editable: true,
        "days that requests are kept, at most 1,000,000 of them and 512 MiB")
    package static let evaluations = Setting(
        "evaluations", default: nil, "folder of judged collections, each a folder, for evaluations of the console")
}
