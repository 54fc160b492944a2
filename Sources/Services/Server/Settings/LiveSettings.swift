import Synchronization

/// The settings that may change while the gateway runs. Read ``current`` for every use.
package final class LiveSettings: Sendable {
    /// The values at one moment.
    package struct Values: Sendable, Hashable {
        /// The model for `/api/llm/generate`.
        package var generateModel: String
        /// The model for `/api/llm/embed`.
        package var embedModel: String
        /// Whether prompts may be logged.
        package var logsPrompts: Bool
        /// Pages that may call the gateway from a browser.
        package var origins: OriginRules

        package init(generateModel: String, embedModel: String, logsPrompts: Bool, origins: OriginRules) {
            self.generateModel = generateModel
            self.embedModel = embedModel
            self.logsPrompts = logsPrompts
            self.origins = origins
        }
    }

    private let values: Mutex<Values>

    package init(_ values: Values) { self.values = Mutex(values) }

    package var current: Values { values.withLock { $0 } }

    /// Applies the values of a reloaded configuration.
    package func apply(_ new: Values) { values.withLock { $0 = new } }
}
