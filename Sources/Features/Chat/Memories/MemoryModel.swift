import Access
import ChatRoom
import Facts
import GatewayAPI
import Inference
import Logging
import Storage
import Tools
import Transport

/// Asks a model for facts that the rules do not see. What it finds are proposals for a person.
///
/// A model on another machine gets only questions that were answered on another machine: others never left.
struct MemoryModel: Sendable {
    /// The most proposals of a message.
    private static let maxFacts = 6
    /// The longest text of a proposal in UTF-8 bytes.
    private static let maxContentBytes = 300
    /// The confidence of proposals.
    static let confidence = 0.5

    private let engine: ChatEngine
    private let keys: KeyRing?
    private let name: String

    /// Nil when no model is set.
    init?(_ engine: ChatEngine, keys: KeyRing?) {
        guard let name = engine.settings.memoriesModel else { return nil }
        (self.engine, self.keys, self.name) = (engine, keys, name)
    }

    /// Returns what the model found, beside what is known. Without an answer there are no proposals.
    ///
    /// - Parameter key: The key that pays; nil for none.
    /// - Throws: `CancellationError`.
    func proposals(for run: UnreadRun, besides known: [PersonFact], key: Int64?) async throws -> [PersonFact] {
        do {
            guard let answer = try await ask(run, key: key) else { return [] }
            return Self.read(answer, question: run.question).filter { fact in
                let words = Set(fact.content.lowercased().split(separator: " "))
                return !known.contains { one in
                    one.range.overlaps(fact.range)
                        && (one.key == fact.key || !words.isDisjoint(with: one.value.split(separator: " ")))
                }
            }
        } catch {
            try Task.checkCancellation()
            engine.logger.info("a model proposes no memories now", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func ask(_ run: UnreadRun, key: Int64?) async throws -> String? {
        let (provider, model) = engine.providers.resolve(name)
        let capabilities = try await provider.capabilities(of: model)
        if !provider.isLocal || capabilities.isRemote {
            let (answered, answeredBy) = engine.providers.resolve(run.model)
            var isAway = !engine.providers.mayRunHere(run.model)
            // Ollama at a public address does not say where it ran when it answered.
            if !isAway, answered.isLocal { isAway = try await answered.capabilities(of: answeredBy).isRemote }
            guard isAway else { return nil }
        }
        if let key { try await keys?.requireFunds(ofKey: key, scope: .llm, model: name) }
        var request = ModelChatRequest(
            model: model, turns: [.system(Self.instructions), .user(run.question)])
        request.format = .schema(Self.schema)
        request.maxTokens = ChatLimits.proposalTokens
        request.temperature = 0
        request.thinks = capabilities.thinking ? false : nil
        request.contextTokens = min(engine.settings.contextTokens, capabilities.contextTokens ?? .max)
        let answer = SideAnswer()
        try await provider.chat(request, for: MemoryEmbedder.caller) { await answer.take($0) }
        if let usage = await answer.usage {
            let (prompt, completion) = (usage.promptTokens ?? 0, usage.completionTokens ?? 0)
            engine.metrics.spent(prompt: prompt, completion: completion)
            if let key { keys?.recordTokens(key, of: name, prompt: prompt, completion: completion) }
        }
        return await answer.text
    }

    // MARK: What is asked and answered

    private static let instructions = """
        You get a message that a person wrote. List what it states about the person, as short facts in the language of the \
        message: where they live, work, family, health, tastes, plans, habits. Leave out questions, conditions, wishes, \
        quotations and what is said of others. Give each fact its kind and the exact words of the message that state it. \
        Answer with JSON. An empty list is the usual answer.
        """

    private static let kinds = PersonFact.Kind.allCases.map { JSONValue.string($0.rawValue) }

    private static let schema: JSONValue = .object([
        "type": .string("object"), "required": .array([.string("facts")]), "additionalProperties": .bool(false),
        "properties": .object([
            "facts": .object([
                "type": .string("array"), "maxItems": .integer(Int64(maxFacts)),
                "items": .object([
                    "type": .string("object"), "additionalProperties": .bool(false),
                    "required": .array([.string("kind"), .string("content"), .string("quote")]),
                    "properties": .object([
                        "kind": .object(["type": .string("string"), "enum": .array(kinds)]),
                        "content": .object(["type": .string("string")]), "quote": .object(["type": .string("string")]),
                    ]),
                ]),
            ])
        ]),
    ])

    /// Reads an answer. Facts without their exact words in the question, and answers that are not as asked, are dropped.
    static func read(_ answer: String, question: String) -> [PersonFact] {
        guard let value = (try? JSONDocument(parsing: Array(answer.utf8)))?.value, case .object(let members) = value,
            case .array(let items)? = members["facts"]
        else { return [] }
        return items.prefix(maxFacts).compactMap { item in
            guard case .object(let fields) = item, case .string(let content)? = fields["content"],
                case .string(let quote)? = fields["quote"], case .string(let word)? = fields["kind"],
                let kind = PersonFact.Kind(rawValue: word)
            else { return nil }
            let text = content.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard (1...maxContentBytes).contains(text.utf8.count), quote.contains(where: \.isLetter),
                !quote.contains("?"), let range = question.firstRange(of: quote)
            else { return nil }
            let start = question.utf8.distance(from: question.startIndex, to: range.lowerBound)
            let bytes = start..<start + question.utf8.distance(from: range.lowerBound, to: range.upperBound)
            // The subject of its text, when the rules can read it; else the text is its own subject.
            let read = MemoryReader.read(text)
            return PersonFact(
                kind: read?.kind ?? kind, key: read?.key ?? "model." + String(text.lowercased().prefix(80)),
                value: read?.value ?? text.lowercased(), content: text, confidence: confidence,
                isSingle: read?.isSingle ?? false, range: bytes, source: quote)
        }
    }
}
