/// A part of the gateway that can take over settings while it runs.
///
/// A reload asks every part to prepare first. Only when all of them could, all are applied: a configuration is taken over
/// whole or not at all.
struct Reloadable: Sendable {
    /// The keys of the settings that it takes over.
    let settings: [Setting]
    /// Checks a configuration and returns what takes it over, which cannot fail.
    let prepare: @Sendable (GatewayConfiguration) throws -> @Sendable () -> Void

    /// A part that needs no preparation.
    static func simple(
        _ settings: Setting..., apply: @escaping @Sendable (GatewayConfiguration) -> Void
    ) -> Reloadable {
        Reloadable(settings: settings) { configuration in { apply(configuration) } }
    }
}
