/// A configuration that can be reloaded while the gateway runs.
package protocol ReloadableConfiguration: Sendable {
    /// The configuration file that was read; nil when there is none.
    var file: String? { get }
    /// The file in which a changed setting is stored, whether it exists or not.
    var editedFile: String? { get }
    /// Every setting with its origin, secrets masked.
    var effective: [EffectiveSetting] { get }
    /// The files of the configuration. A change of one triggers a reload.
    var watchedFiles: [String] { get }
    /// Checks whether this configuration may replace another one.
    ///
    /// - Throws: ``ConfigurationError``, for example when a file of the old configuration is gone.
    func checkReplacing(_ old: Self) throws
    /// The keys of the settings that differ from another configuration, in order.
    func changes(since old: Self) -> [String]
}

/// A part of the gateway that can apply settings while it runs.
///
/// A reload first prepares every part. Only when all of them succeed, all are applied: a configuration is applied as a
/// whole or not at all.
package struct Reloadable<Configuration: ReloadableConfiguration>: Sendable {
    /// The settings that this part applies.
    package let settings: [Setting]
    /// Checks a configuration and returns a closure that applies it and cannot fail.
    package let prepare: @Sendable (Configuration) throws -> @Sendable () -> Void

    package init(settings: [Setting], prepare: @escaping @Sendable (Configuration) throws -> @Sendable () -> Void) {
        self.settings = settings
        self.prepare = prepare
    }

    /// A part that needs no preparation.
    package static func simple(
        _ settings: Setting..., apply: @escaping @Sendable (Configuration) -> Void
    ) -> Reloadable {
        Reloadable(settings: settings) { configuration in { apply(configuration) } }
    }
}
