/// A setting with its value and where that comes from, for `selene config`.
package struct EffectiveSetting: Sendable, Hashable, Codable {
    /// The key in a configuration file.
    package var key: String
    /// The value as text; `********` for a secret, nil when unset.
    package var value: String?
    /// `flag`, `environment`, `file` or `default`.
    package var origin: String
    /// The environment variable.
    package var environment: String
    /// What it does.
    package var summary: String

    /// Reads a setting; a secret is masked.
    package init(_ setting: Setting, _ reader: SettingsReader) {
        let value = reader.text(setting)
        self.value = setting.isSecret ? value.map { _ in "********" } : value
        key = setting.key
        origin = reader.origin(of: setting).rawValue
        environment = setting.environment
        summary = setting.summary
    }
}
