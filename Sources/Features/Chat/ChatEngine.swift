import ChatRun
package import Inference
package import Logging
package import Prompts
package import Search
package import Storage
import Synchronization
package import Tools

/// What all runs share.
package struct ChatEngine: Sendable {
    package let database: GatewayDatabase
    package let retrieval: RetrievalService
    package let models: ChatModels
    package let prompts: ChatPrompts
    /// The tools of all features.
    package let tools: ToolRegistry
    package let settings: ChatSettings
    package let logger: Logger
    /// The token estimates of models, which learn from the counts that come back.
    let estimates = Mutexed(TokenEstimates())

    package init(
        database: GatewayDatabase, retrieval: RetrievalService, models: ChatModels, prompts: ChatPrompts,
        tools: ToolRegistry, settings: ChatSettings, logger: Logger
    ) {
        self.database = database
        self.retrieval = retrieval
        self.models = models
        self.prompts = prompts
        self.tools = tools
        self.settings = settings
        self.logger = logger
    }
}

/// A value that several runs change.
final class Mutexed<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
        value.withLock(body)
    }
}

/// Finds the provider of a model by the name `provider/model`.
package struct ChatModels: Sendable {
    /// A model at its provider.
    package struct Choice: Sendable {
        /// The provider.
        package let provider: any ChatProvider
        /// The model's name there.
        package let model: String

        /// Creates a choice.
        package init(provider: any ChatProvider, model: String) {
            self.provider = provider
            self.model = model
        }
    }

    private let find: @Sendable (String) -> Choice

    /// Creates a finder.
    package init(_ find: @escaping @Sendable (String) -> Choice) { self.find = find }

    /// The provider and the name of a model there.
    package subscript(model: String) -> Choice { find(model) }
}
