import ChatRoom
import GatewayAPI
import Inference
import Machine
import Prompts
import Storage
import Tools

/// What a run is given. Nothing of it changes while the run goes on.
struct RunBasis: Sendable {
    let id: String
    let session: String
    let question: String
    /// The full name of the model.
    let modelName: String
    let options: RunPlan.Options
    let owner: RunOwner
    let engine: ChatEngine
    /// The process that works on the run.
    let worker: WorkerName
    let started = ContinuousClock.now
    /// The mark around notes, which no note can know.
    let fence: String
    /// Called once, when the run needs no more work.
    let onRelease: @Sendable () -> Void

    init(
        _ stored: StoredChatRun, options: RunPlan.Options, owner: RunOwner, engine: ChatEngine, worker: WorkerName,
        onRelease: @escaping @Sendable () -> Void
    ) {
        (id, session, question, modelName) = (stored.id, stored.session, stored.question, stored.model)
        (self.options, self.owner, self.engine, self.worker) = (options, owner, engine, worker)
        fence = engine.fences.fence(of: options.fenced(in: session))
        self.onRelease = onRelease
    }

    /// The time since the run was begun or continued.
    var age: Duration { ContinuousClock.now - started }

    /// The provider and the model's name there.
    var model: (provider: any ChatProvider, model: String) { engine.providers.resolve(modelName) }

    /// The tools that the model may call, where the conversation needs them.
    var tools: ToolRegistry {
        guard options.tools else { return .none }
        let caller = ToolCaller(key: owner.name, scopes: owner.scopes)
        return engine.tools.offered(to: caller, writing: false, about: options.chatKind.needsBook ? .books : .notes)
    }

    /// The notes that a model of these capabilities must not get; nil when it runs on the user's machine.
    func hidden(_ capabilities: ChatCapabilities) -> NotePrivacy? {
        model.provider.isLocal && !capabilities.isRemote ? nil : engine.settings.privacy
    }

    /// The caller of tools and of searches of books for such a model, with what it may see.
    func caller(_ capabilities: ChatCapabilities) -> ToolCaller {
        ToolCaller(
            key: owner.name, actor: owner.key.map { "key \($0)" }, scopes: owner.scopes, hides: hidden(capabilities),
            books: options.scope?.book?.values ?? [], turn: "chat run \(id)",
            charge: { [owner] tokens, model in owner.charge(model, tokens, 0) }
        )
    }
}
