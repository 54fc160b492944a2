package import Server

/// The settings of the web client.
package struct WebSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.web]

    /// Whether the gateway serves pages and lets browsers sign in.
    package var isOn: Bool

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws { isOn = try reader.word(.web, as: Switch.self) == .on }
}

extension Setting {
    package static let web = Setting("web", default: "on", "off: serve no pages and let no browser sign in")
}
