import ChatRun
import GatewayAPI
import Inference
import Prompts
import Storage
import TaskRoom
import Text
import Tools

/// Builds the first request of a run from its parts, within the model's context.
///
/// The prompts of a conversation begin alike up to the newest messages: what depends on the question comes with the question, so that a
/// model's server goes on from what it computed for the last prompt.
struct PromptAssembly: Sendable {
    let engine: ChatEngine
    let options: RunPlan.Options
    /// The mark around notes; see ``SessionFences``.
    let fence: String
    let reader: Reader

    /// The model that reads the prompt.
    struct Reader: Sendable {
        /// The full name of the model, for its token estimate.
        var name: String
        var capabilities: ChatCapabilities
        /// The tools that are offered; they take room.
        var tools: [ChatTool]
        /// Whether texts of threads may be sent, which may tell of private notes.
        var getsPrivateContext: Bool
    }

    /// What a request is made of.
    struct Parts: Sendable {
        var question: String
        /// The messages before the question, oldest first.
        var history: [Message] = []
        /// The summary of the first messages; nil for none.
        var summary: HistorySummary?
        /// The passages found, best first; nil when they are not known yet.
        var passages: [ChatPassage]?
        /// The memories for the prompt, the most important first.
        var memories: [Memory] = []
        /// The text of an answer that broke off and is continued; nil for a new one.
        var interrupted: String?
        /// What came behind the question: calls of a program's tools, and their results.
        var following: [ChatTurn] = []

        /// Whether the prompt has notes, or had them earlier in the conversation.
        fileprivate var hasNotes: Bool {
            guard let passages, passages.isEmpty else { return true }
            return history.contains { $0.role == "assistant" && CitedText.hasMarker($0.content) }
        }
    }

    /// A request with what it holds.
    struct Prompt: Sendable {
        var turns: [ChatTurn]
        /// The passages in the prompt, numbered from 1.
        var passages: [ChatPassage]
        var memories: [ChatMemory] = []
        var leftOut: [ChatLeftOut]
        /// The size of the context in tokens.
        var context: Int
        /// All text of the prompt, to learn the model's tokens from.
        var text: String
        /// The last message that a summary should cover; nil when nothing was left out that a summary could tell.
        var compressThrough: Int64?
    }

    /// The turns before the question: the instructions and the history. ``prompt(_:)`` begins with the same.
    ///
    /// - Parameter parts: Without passages and memories.
    /// - Throws: ``PromptOverflow``, ``StorageError``.
    func opening(_ parts: Parts) async throws -> (turns: [ChatTurn], context: Int) {
        let plan = try plan(parts, beside: nil, contexts: try await contexts())
        return (plan.opening, context)
    }

    /// Builds the prompt.
    ///
    /// - Throws: ``PromptOverflow``, ``StorageError``.
    func prompt(_ parts: Parts) async throws -> Prompt {
        let found = parts.passages ?? []
        var block = MemoryBlock(reader.getsPrivateContext ? parts.memories : [], context: context, estimate)
        let (opening, plan) = try plan(parts, beside: block, contexts: try await contexts())
        if !plan.usesMemories { block = MemoryBlock([], context: context, estimate) }
        var passages = plan.passages.map { found[$0] }
        for index in passages.indices { passages[index].number = index + 1 }
        // A provider with citations of its own gets the passages beside the question.
        let notes = reader.capabilities.cites ? [] : passages.map(Self.cited)
        let question = engine.prompts.question(
            parts.question, notes: notes, context: block.context, of: options.chatKind, fence: fence)
        var turns = opening + [.user(question)]
        if let text = parts.interrupted {
            turns += [.assistant(ChatReply(text: text)), .user(Self.continuation(text))]
        }
        turns += parts.following
        let compressed = plan.usesSummary ? min(plan.history.lowerBound, parts.summary?.covers ?? 0) : 0
        return Prompt(
            turns: turns, passages: passages, memories: block.used,
            leftOut: Self.leftOut(plan.leftOut, found, compressed)
                + [ChatLeftOut(part: "memory", count: parts.memories.count - block.used.count)].filter { $0.count > 0 },
            context: context, text: turns.map(\.text).joined(separator: "\n"),
            compressThrough: Self.compressThrough(parts, plan.history.lowerBound))
    }

    /// The size of the model's context in tokens.
    var context: Int { min(engine.settings.contextTokens, reader.capabilities.contextTokens ?? .max) }

    private var estimate: TokenEstimate { engine.estimates.withLock { $0[reader.name] } }

    /// Plans the prompt, and renders its instructions and history. A summary of messages that all fit is not used.
    private func plan(
        _ parts: Parts, beside memories: MemoryBlock?, contexts: [ChatPrompts.Context]
    ) throws -> (opening: [ChatTurn], plan: PromptPlan) {
        let (estimate, context, tools) = (estimate, context, reader.tools)
        let rules = ChatPrompts.Rules(
            hasNotes: !reader.capabilities.cites && options.chatKind.usesNotes && parts.hasNotes || !tools.isEmpty,
            isStrict: options.strict, hasTools: !tools.isEmpty)
        func instructions(_ summary: String?) -> String {
            engine.prompts.system(options.chatKind, rules, context: contexts, summary: summary, fence: fence)
                + (options.instructions.map { "\n\n" + $0 } ?? "")
        }
        let resume = parts.interrupted.map { estimate.tokens(Self.continuation($0)) * 2 } ?? 0
        let following = parts.following.reduce(0) { $0 + estimate.tokens($1.text) }
        var budget = ContextBudget(
            context: context - Self.tokens(of: tools, estimate) - resume - following,
            answer: min(engine.settings.answerTokens, context / 3),
            estimate: estimate)
        // Without notes only the question and the answer need room.
        if !options.chatKind.usesNotes { budget.historyShare = 0.75 }
        var wanted = PromptParts(
            system: instructions(nil), history: parts.history.map { .init($0.content, isUser: $0.role == "user") },
            passages: (parts.passages ?? []).map(\.text), question: parts.question)
        if let block = memories?.context, !block.isEmpty {
            wanted.memories = engine.prompts.rendered(block, fence: fence)
        }
        var plan = try budget.plan(wanted)
        if let summary = parts.summary, summary.covers == 0 || plan.history.lowerBound > 0 {
            wanted.summary = summary.text
            plan = try budget.plan(wanted)
        }
        let opening: [ChatTurn] =
            [.system(plan.usesSummary ? instructions(parts.summary?.text) : wanted.system)]
            + parts.history[plan.history].map { message in
                message.role == "user" ? .user(message.content) : .assistant(ChatReply(text: message.content))
            }
        return (opening, plan)
    }

    /// The tokens of tools in a prompt.
    static func tokens(of tools: [ChatTool], _ estimate: TokenEstimate) -> Int {
        tools.reduce(0) { sum, tool in
            sum + estimate.tokens(tool.summary) + estimate.tokens(String(decoding: tool.parameters.json, as: UTF8.self))
        }
    }

    /// Summaries leave the latest messages out: those fit into the next prompts, too.
    private static func compressThrough(_ parts: Parts, _ leftOut: Int) -> Int64? {
        guard leftOut > parts.summary?.covers ?? 0 else { return nil }
        return parts.history[max(leftOut, parts.history.count - ChatLimits.keptMessages) - 1].id
    }

    static func cited(_ passage: ChatPassage) -> Prompts.CitedNote {
        Prompts.CitedNote(title: passage.title, date: passage.date, content: passage.text)
    }

    private static func continuation(_ text: String) -> String {
        "Your answer broke off. Continue it exactly where it ended, without repeating anything and without a remark. "
            + "Its last words: " + String(text.suffix(200))
    }

    /// - Parameter compressed: The number of left out messages that the summary tells of.
    private static func leftOut(
        _ parts: [PromptPlan.LeftOut], _ passages: [ChatPassage], _ compressed: Int
    ) -> [ChatLeftOut] {
        parts.flatMap { part in
            switch part {
            case .summary: [ChatLeftOut(part: "summary", count: 1)]
            // Counted one by one.
            case .memories: [ChatLeftOut]()
            case .history(let range):
                [
                    ChatLeftOut(part: "compressed", count: compressed),
                    ChatLeftOut(part: "history", count: range.count - compressed),
                ].filter { $0.count > 0 }
            case .passage(let rank, _): [ChatLeftOut(part: "passage", count: 1, note: passages[rank].note)]
            }
        }
    }

    // MARK: What a kind adds

    private func contexts() async throws -> [ChatPrompts.Context] {
        guard reader.getsPrivateContext else { return [] }
        return switch options.chatKind {
        case .deepDive, .threadWorkspace: try await thread()
        case .briefing: try await briefing()
        case .ask, .synthesis, .thinkingPartner, .book, .plain: []
        }
    }

    private func thread() async throws -> [ChatPrompts.Context] {
        guard let thread = try await RunThread.find(options.scope, in: engine.threads) else { return [] }
        var text = "Thread \"\(thread.name)\", \(Count.of(thread.noteCount, "note"))."
        if let why = thread.why { text += "\nWhy it matters: \(why)" }
        if let summary = thread.summary { text += "\nSummary: \(summary)" }
        var contexts = [ChatPrompts.Context(heading: "the thread", text: Self.cut(text))]
        guard options.chatKind == .threadWorkspace else { return contexts }
        let tasks = try await engine.store.tasks.page(ofThread: thread.id, limit: 40).items
        if !tasks.isEmpty {
            let list = tasks.map { "- [\($0.completedAt == nil ? " " : "x")] \($0.title ?? "")" }
            contexts.append(.init(heading: "tasks of the thread", text: Self.cut(list.joined(separator: "\n"))))
        }
        return contexts
    }

    private func briefing() async throws -> [ChatPrompts.Context] {
        let threads = try await engine.threads.active(limit: 8)
        let notes = try await engine.store.notes.page(after: nil, limit: 12).items
        var contexts: [ChatPrompts.Context] = []
        if !threads.isEmpty {
            let list = threads.map {
                "- \($0.name): \($0.noteCount) notes, last \(String(($0.lastActivityAt ?? "").prefix(10)))"
            }
            contexts.append(.init(heading: "threads with momentum", text: Self.cut(list.joined(separator: "\n"))))
        }
        if !notes.isEmpty {
            let list = notes.map { "- \(String($0.createdAt.prefix(10))) \($0.title)" }
            contexts.append(.init(heading: "newest notes", text: Self.cut(list.joined(separator: "\n"))))
        }
        return contexts
    }

    private static func cut(_ text: String) -> String {
        ResultBudget(bytes: ChatLimits.contextBytes).cut(text).text
    }
}

/// Tells an answer that cites notes.
enum CitedText {
    /// Whether a text has a number in square brackets.
    static func hasMarker(_ text: String) -> Bool {
        var digits: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "["): digits = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits = digits.map { $0 + 1 }
            case UInt8(ascii: "]"):
                if let digits, digits > 0 { return true }
                digits = nil
            default: digits = nil
            }
        }
        return false
    }
}

extension ChatTurn {
    var text: String {
        switch self {
        case .system(let text), .user(let text), .toolResult(_, _, let text, _): text
        case .parts(let parts): parts.compactMap(\.text).joined(separator: "\n")
        case .assistant(let reply): ([reply.text] + reply.calls.map(\.written)).joined(separator: "\n")
        }
    }
}

/// The thread that a run is about.
enum RunThread {
    /// The first thread of a scope, by id or name; nil when there is none.
    static func find(_ scope: ChatScope?, in threads: any ThreadBook) async throws -> ChatThread? {
        guard let name = scope?.thread?.values.first else { return nil }
        if let id = Int64(name), let thread = try await threads.find(id) { return thread }
        return try await threads.find(named: name)
    }
}
