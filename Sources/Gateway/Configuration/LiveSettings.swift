import Synchronization

/// The settings that may change while the gateway runs. Whoever needs one asks for it each time.
final class LiveSettings: Sendable {
    /// The values at one moment.
    struct Values: Sendable, Hashable {
        /// The model for `/api/llm/generate`.
        var generateModel: String
        /// The model for `/api/llm/embed`.
        var embedModel: String
        /// Whether prompts may stand in the log.
        var logsPrompts: Bool
        /// Pages that may call the gateway from a browser.
        var origins: OriginRules

        init(_ configuration: GatewayConfiguration) {
            origins = configuration.origins
            generateModel = configuration.generateModel
            embedModel = configuration.embedModel
            logsPrompts = configuration.logsPrompts
        }
    }

    private let values: Mutex<Values>

    init(_ configuration: GatewayConfiguration) { values = Mutex(Values(configuration)) }

    /// The values now.
    var current: Values { values.withLock { $0 } }

    /// Takes over the values of a configuration that was loaded anew.
    func apply(_ configuration: GatewayConfiguration) { values.withLock { $0 = Values(configuration) } }
}
