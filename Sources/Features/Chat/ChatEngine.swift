import BookRoom
package import ChatRoom
import ChatRun
import Database
package import Inference
package import Logging
package import Prompts
package import Search
package import Storage
import Synchronization
package import Tools

/// What all runs share.
package struct ChatEngine: Sendable {
    /// Where notes, answers, chat sessions and memories are kept.
    package let store: any GatewayStore
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
    /// The conversations whose next prompt is computed ahead.
    let prefills: Prefills
    let metrics: ChatMetrics
    let fences = SessionFences()
    /// The runs that answer questions.
    package var answers: AnswerRoom { store.answers }
    var books: BookRoom { store.books }
    /// The threads of the notes.
    var threads: any ThreadBook { store.threads }

    package init(
        store: any GatewayStore, notes: NoteSearch, providers: ChatProviders, prompts: ChatPrompts, tools: ToolRegistry,
        settings: ChatSettings, memories: MemoryRetrieval? = nil, metrics: ChatMetrics,
        logger: Logger
    ) {
        self.store = store
        self.notes = notes
        self.providers = providers
        self.prompts = prompts
        self.tools = tools
        self.settings = settings
        self.memories = memories
        self.metrics = metrics
        self.logger = logger
        prefills = Prefills(isOn: settings.prefills)
        compressions = CompressionRequests(store.summaries, isAutomatic: settings.compresses)
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
