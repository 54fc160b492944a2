/// An invalid setting: its name, value and origin, and the expected values.
package struct ConfigurationError: Error, CustomStringConvertible, Sendable {
    /// The sentence for the person who configured it.
    package let message: String

    /// The message.
    package var description: String { message }

    package init(message: String) { self.message = message }

    package static func invalid(
        _ setting: Setting, _ text: String, _ origin: SettingsReader.Origin, _ expected: String
    ) -> ConfigurationError {
        let shown = setting.isSecret ? "(secret)" : "\"\(text)\""
        let place =
            switch origin {
            case .environment: "environment variable \(setting.environment)"
            case .file(let line):
                "\"\(setting.key)\" in \(line.map { "line \($0) of " } ?? "")the configuration file"
            case .flag: "--\(setting.key.split(separator: "_").joined(separator: "-"))"
            case .fallback: "the default of \(setting.key)"
            }
        return ConfigurationError(message: "\(place) is \(shown), but \(expected) is expected")
    }
}
