import Access
import GatewayAPI
import Inference
import Prompts
import Storage
import Transport

/// Asks a model for names and a summary. It goes behind every request of a person.
struct PhraseModel: Sendable {
    /// The caller of all calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("threads.phrase", .batch)
    /// Tokens of an answer.
    static let maxTokens = 500
    /// Bytes of an answer that are read.
    static let maxBytes = 16 << 10
    /// The sentences of a summary.
    static let maxSentences = 4
    /// The context of a question and its answer, in tokens.
    private static let contextTokens = 8192

    let name: String
    let providers: ChatProviders
    let prompts: ThreadPrompts
    let keys: KeyRing?
    /// The time of an answer, with loading the model.
    let timeout: Duration

    /// What is known of the model.
    struct Face: Sendable {
        /// Whether texts for it leave the user's machines.
        var isRemote: Bool
        fileprivate var thinks: Bool
        fileprivate var context: Int
    }

    /// Finds out where the model is.
    ///
    /// - Throws: ``UpstreamError``.
    func face() async throws -> Face {
        let (provider, model) = providers.resolve(name)
        let capabilities = try await provider.capabilities(of: model)
        return Face(
            isRemote: !provider.isLocal || capabilities.isRemote, thinks: capabilities.thinking,
            context: min(Self.contextTokens, capabilities.contextTokens ?? .max))
    }

    /// Asks a question. Returns the answer; nil when it came too late, or is not whole.
    ///
    /// - Parameter key: The key that pays; nil for none.
    /// - Throws: ``UpstreamError``, ``AccessRefusal``, `CancellationError`.
    func ask(_ question: PhraseQuestion, _ face: Face, key: Int64?) async throws -> String? {
        if let key { try await keys?.requireFunds(ofKey: key, scope: .llm, model: name) }
        let (provider, model) = providers.resolve(name)
        let fence = "=====" + String(UInt64.random(in: .min ... .max), radix: 36) + "====="
        let prompt = prompts.phrasing(names: question.names, notes: question.notes.map(\.text), fence: fence)
        var request = ModelChatRequest(model: model, turns: [.user(prompt)])
        request.format = .schema(Self.schema(question))
        request.maxTokens = Self.maxTokens
        request.temperature = 0
        request.thinks = face.thinks ? false : nil
        request.contextTokens = face.context
        let (asked, limit, answer) = (request, timeout, PhraseText())
        let isInTime = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await provider.chat(asked, for: Self.caller) { await answer.take($0) }
                return true
            }
            group.addTask {
                try await answer.overdue(after: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        try Task.checkCancellation()
        if let key, let usage = await answer.usage {
            keys?.recordTokens(
                key, of: name, prompt: usage.promptTokens ?? 0, completion: usage.completionTokens ?? 0)
        }
        return isInTime ? await answer.whole : nil
    }

    private static func schema(_ question: PhraseQuestion) -> JSONValue {
        let string: JSONValue = .object(["type": .string("string")])
        let numbers = question.notes.indices.map { JSONValue.integer(Int64($0 + 1)) }
        let sentence: JSONValue = .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "required": .array([.string("text"), .string("notes")]),
            "properties": .object([
                "text": string,
                "notes": .object([
                    "type": .string("array"),
                    "items": .object(["type": .string("integer"), "enum": .array(numbers)]),
                ]),
            ]),
        ])
        var properties: [String: JSONValue] = [
            "sentences": .object([
                "type": .string("array"), "maxItems": .integer(Int64(maxSentences)), "items": sentence,
            ])
        ]
        if !question.names.isEmpty {
            let count = JSONValue.integer(Int64(question.names.count))
            properties["names"] = .object([
                "type": .string("array"), "minItems": count, "maxItems": count, "items": string,
            ])
        }
        return .object([
            "type": .string("object"), "additionalProperties": .bool(false),
            "required": .array(properties.keys.sorted().map { .string($0) }), "properties": .object(properties),
        ])
    }
}

/// Collects an answer, up to a limit.
private actor PhraseText {
    private var text = ""
    private var isCut = false
    private var hasEnded = false
    private var started: ContinuousClock.Instant?
    private(set) var usage: ChatUsage?

    /// The answer; nil unless the model ended it and nothing of it was left out.
    var whole: String? { hasEnded && !isCut ? text : nil }

    func take(_ event: ChatEvent) {
        switch event {
        case .sent: started = .now
        case .text(let piece):
            if text.utf8.count + piece.utf8.count <= PhraseModel.maxBytes { text += piece } else { isCut = true }
        case .usage(let usage): self.usage = usage
        case .ended(let end):
            hasEnded = true
            if end.reason != .stop { isCut = true }
        default: break
        }
    }

    /// Returns once an answer has taken longer than a time. The wait behind other requests does not count.
    func overdue(after limit: Duration) async throws {
        while true {
            let left = started.map { limit - (.now - $0) } ?? limit
            if left <= .zero { return }
            try await Task.sleep(for: min(left, limit))
        }
    }
}
