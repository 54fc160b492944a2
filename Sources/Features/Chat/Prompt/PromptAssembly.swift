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

        /// Whether its server goes on from what it computed for the last prompt, so that what prompts repeat costs nothing. Elsewhere it
        /// may cost money, and the server has room for many prompts.
        var goesOn: Bool { getsPrivateContext && !capabilities.cites }
    }

    /// What a request is made of.
    struct Parts: Sendable {
        var question: String
        /// The messages before the question, oldest first.
        var history: [Message] = []
        /// The passages that came with them.
        var earlier = EarlierPassages()
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
            guard let passages, passages.isEmpty, earlier.found.isEmpty else { return true }
            return history.contains { $0.role == "assistant" && CitedText.hasMarker($0.content) }
        }
    }

    /// A request with what it holds.
    struct Prompt: Sendable {
        var turns: [ChatTurn]
        /// The passages for the question, by rank, with their numbers in the conversation.
        var passages: [ChatPassage]
        /// The passages of earlier questions in the prompt.
        var kept: [ChatPassage]
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
        let plan = try plan(parts, [], beside: nil, contexts: try await contexts())
        return (plan.opening, context)
    }

    /// Builds the prompt.
    ///
    /// - Throws: ``PromptOverflow``, ``StorageError``.
    func prompt(_ parts: Parts) async throws -> Prompt {
        let found = (parts.passages ?? []).map { passage in
            var passage = passage
            passage.number = parts.earlier.number(of: passage) ?? 0
            return passage
        }
        var block = MemoryBlock(reader.getsPrivateContext ? parts.memories : [], context: context, estimate)
        let (opening, plan) = try plan(parts, found, beside: block, contexts: try await contexts())
        if !plan.usesMemories { block = MemoryBlock([], context: context, estimate) }
        var next = max(parts.earlier.next, (found.map(\.number).max() ?? 0) + 1)
        let passages = (plan.passages + plan.again).sorted().map { rank in
            var passage = found[rank]
            if passage.number == 0 { (passage.number, next) = (next, next + 1) }
            return passage
        }
        let again = plan.again.map { found[$0].number }
        // A provider with citations of its own gets the passages beside the question.
        let notes = reader.capabilities.cites ? [] : passages.filter { !again.contains($0.number) }
        let question = engine.prompts.question(
            parts.question, notes: notes.map(Self.numbered), again: again, context: block.context, of: options.chatKind,
            fence: fence)
        var turns = opening + [.user(question)]
        if let text = parts.interrupted {
            turns += [.assistant(ChatReply(text: text)), .user(Self.continuation(text))]
        }
        turns += parts.following
        let compressed = plan.usesSummary ? min(plan.history.lowerBound, parts.summary?.covers ?? 0) : 0
        return Prompt(
            turns: turns, passages: passages, kept: kept(parts, plan), memories: block.used,
            leftOut: Self.leftOut(plan.leftOut, found, compressed)
                + [ChatLeftOut(part: "memory", count: parts.memories.count - block.used.count)].filter { $0.count > 0 },
            context: context, text: turns.map(\.text).joined(separator: "\n"),
            compressThrough: Self.compressThrough(parts, plan.history.lowerBound))
    }

    /// The size of the model's context in tokens.
    var context: Int { min(engine.settings.contextTokens, reader.capabilities.contextTokens ?? .max) }

    private var estimate: TokenEstimate { engine.estimates.withLock { $0[reader.name] } }

    /// The passages that came with a message, and may stay.
    private func earlier(_ parts: Parts, with message: Message) -> [ChatPassage] {
        reader.goesOn ? parts.earlier.found[message.id] ?? [] : []
    }

    /// The passages of earlier questions in a prompt.
    private func kept(_ parts: Parts, _ plan: PromptPlan) -> [ChatPassage] {
        plan.history.flatMap { index in
            let passages = earlier(parts, with: parts.history[index])
            return (plan.kept[index] ?? []).map { passages[$0] }
        }
    }

    /// A message of the history with the passages that stay with it.
    private func turn(_ index: Int, _ parts: Parts, _ plan: PromptPlan) -> ChatTurn {
        let message = parts.history[index]
        guard message.role == "user" else { return .assistant(ChatReply(text: message.content)) }
        guard let kept = plan.kept[index] else { return .user(message.content) }
        let passages = earlier(parts, with: message)
        let again = passages.indices.filter { !kept.contains($0) }.map { passages[$0].number }
        return .user(
            engine.prompts.question(
                message.content, notes: kept.map { Self.numbered(passages[$0]) }, again: again, of: options.chatKind,
                fence: fence))
    }

    /// Plans the prompt, and renders its instructions and history. A summary of messages that all fit is not used.
    private func plan(
        _ parts: Parts, _ found: [ChatPassage], beside memories: MemoryBlock?, contexts: [ChatPrompts.Context]
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
            system: instructions(nil),
            history: parts.history.map { message in
                .init(
                    message.content, isUser: message.role == "user",
                    found: earlier(parts, with: message).map { .init($0.text, number: $0.number) })
            },
            passages: found.map { .init($0.text, number: $0.number > 0 ? $0.number : nil) }, question: parts.question)
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
            + plan.history.map { turn($0, parts, plan) }
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

    private static func numbered(_ passage: ChatPassage) -> (number: Int, note: Prompts.CitedNote) {
        (passage.number, cited(passage))
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
