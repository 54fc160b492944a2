/// A setting: its names, its default and its purpose.
///
/// Each module lists its own settings. The gateway joins the lists for loading, `selene config` and the check for unknown
/// keys.
package struct Setting: Sendable, Hashable {
    /// The key in the configuration file, for example `generate_model`.
    package let key: String
    /// The environment variable, for example `SELENE_GENERATE_MODEL`.
    package let environment: String
    /// The default as text; nil when the setting has none.
    package let fallback: String?
    /// What the setting does, in one line.
    package let summary: String
    /// Whether the value is masked wherever it is shown.
    package let isSecret: Bool
    /// Whether administrators may change it from another machine. What names places, programs, addresses or secrets is
    /// changed on the gateway's own machine.
    package let isEditable: Bool

    /// Creates a setting.
    ///
    /// - Parameter environment: The environment variable; `SELENE_` and the key in upper case when nil.
    package init(
        _ key: String, environment: String? = nil, default fallback: String?, secret: Bool = false,
        editable: Bool = false,
        _ summary: String
    ) {
        self.key = key
        self.environment = environment ?? "SELENE_" + key.uppercased()
        self.fallback = fallback
        self.summary = summary
        self.isSecret = secret
        isEditable = editable && !secret
    }
}
