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
    /// The default as text; nil when it has none.
    package var fallback: String?
    /// Whether administrators may change it from another machine, as far as flags and environment leave it free.
    package var isEditable: Bool

    /// Reads a setting; a secret is masked.
    package init(_ setting: Setting, _ reader: SettingsReader) {
        let value = reader.text(setting)
        self.value = setting.isSecret ? value.map { _ in "********" } : value
        key = setting.key
        origin = reader.origin(of: setting).name
        environment = setting.environment
        summary = setting.summary
        fallback = setting.fallback
        isEditable = setting.isEditable && ![.flag, .environment].contains(reader.origin(of: setting))
    }
}
