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
    /// Where answers are kept.
    package let chats: any ChatRecords
    /// The search of the notes.
    package let notes: NoteSearch
    package let providers: ChatProviders
    package let prompts: ChatPrompts
    /// The tools of all features.
    package let tools: ToolRegistry
    package let settings: ChatSettings
    /// Finds memories by meaning; nil without an embedding model on the user's machines.
    package let memories: MemoryRetrieval?
    package let logger: Logger
    /// The token estimates of models, which learn from the counts that come back.
    let estimates = Mutexed(TokenEstimates())
    /// Requests for summaries of old messages.
    package let compressions: CompressionRequests
    /// Gets the figures of runs and summaries.
    let observer: any ChatObserver
    /// The threads of the notes.
    var threads: any ThreadBook { database.threadBook }

    package init(
        database: GatewayDatabase, notes: NoteSearch, providers: ChatProviders, prompts: ChatPrompts,
        tools: ToolRegistry, settings: ChatSettings, memories: MemoryRetrieval? = nil, observer: any ChatObserver,
        logger: Logger
    ) {
        self.database = database
        chats = database.chats
        self.notes = notes
        self.providers = providers
        self.prompts = prompts
        self.tools = tools
        self.settings = settings
        self.memories = memories
        self.observer = observer
        self.logger = logger
        compressions = CompressionRequests(chats.summaries, isAutomatic: settings.compresses)
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
