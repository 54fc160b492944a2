/// A configuration that can be read again while the gateway runs.
package protocol ReloadableConfiguration: Sendable {
    /// The files that it is made of; a change of one is a reason to read it again.
    var watchedFiles: [String] { get }
    /// Refuses to take the place of another one.
    ///
    /// - Throws: ``ConfigurationError``, for example when a file that was read before is gone.
    func checkReplacing(_ old: Self) throws
    /// The keys of the settings that differ from those of another one, in their order.
    func changes(since old: Self) -> [String]
}

/// A part of the gateway that can take over settings while it runs.
///
/// A reload asks every part to prepare first. Only when all of them could, all are applied: a configuration is taken over
/// whole or not at all.
package struct Reloadable<Configuration: ReloadableConfiguration>: Sendable {
    /// The keys of the settings that it takes over.
    package let settings: [Setting]
    /// Checks a configuration and returns what takes it over, which cannot fail.
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
