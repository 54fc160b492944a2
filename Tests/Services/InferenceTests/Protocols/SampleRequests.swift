import GatewayAPI
import TestSupport

@testable import Inference

/// Random requests in the neutral form, with everything that a protocol can say.
struct SampleRequests {
    var random: SeededGenerator
    /// The protocol whose words the requests use.
    let form: ChatProtocol

    init(_ seed: UInt64, _ form: ChatProtocol) { (random, self.form) = (SeededGenerator(seed), form) }

    private static let words = [
        "Grüße", "日本 🎻", "a \"quoted\" text", "line\nand\ttab", "\u{2028}", "\\", "{}", "tool", "e\u{301}", "", " ",
    ]

    mutating func next() -> ModelChatRequest {
        var turns: [ChatTurn] = []
        if flip() { turns.append(.system(text())) }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            turns.append(question())
            if flip() { turns += loop() }
            turns.append(.assistant(ChatReply(text: text())))
        }
        turns.append(question())
        if flip() { turns += loop() }
        var request = ModelChatRequest(model: "m-\(Int.random(in: 0...9, using: &random))", turns: turns)
        for index in 0..<Int.random(in: 0...3, using: &random) {
            request.tools.append(
                ChatTool(
                    name: "f\(index)", summary: flip() ? text() : "", schema: Self.schema(&random),
                    isStrict: form == .completions && flip() ? flip() : nil))
        }
        if !request.tools.isEmpty, form != .ollamaChat {
            request.toolChoice =
                [nil, .auto, ChatToolChoice.none, .required, .named("f0")].randomElement(using: &random) ?? nil
            if flip() { request.callsInParallel = form == .messages ? false : flip() }
            // Anthropic says both in one member.
            if form == .messages, request.callsInParallel == false {
                request.toolChoice = request.toolChoice ?? .auto
                if request.toolChoice == ChatToolChoice.none { request.callsInParallel = nil }
            }
        }
        if flip() {
            var schema = ChatSchema(Self.schema(&random))
            if form == .completions { schema.name = "answer" }
            request.format = form == .messages || flip() ? .schema(schema) : .json
        }
        request.maxTokens = form == .messages || flip() ? Int.random(in: 1...99_999, using: &random) : nil
        if flip() { request.sampling.stop = ["END", "\n"] }
        guard form != .messages else { return request }
        if flip() { request.temperature = 0.5 }
        if flip() { request.sampling.topP = 0.25 }
        if flip() { request.sampling.topK = 40 }
        if flip() { request.sampling.minP = 0.125 }
        if flip() { request.sampling.seed = -7 }
        if flip() { request.sampling.frequencyPenalty = -0.5 }
        if flip() { request.sampling.presencePenalty = 1.5 }
        if flip() { (request.givesProbabilities, request.otherProbabilities) = (true, flip() ? 5 : nil) }
        if flip() { (request.thinks, request.effort) = flip() ? (false, nil) : (true, "low") }
        if form == .ollamaChat {
            if flip() { request.contextTokens = 8192 }
            if request.thinks == true, flip() { request.effort = nil }
        }
        return request
    }

    private mutating func question() -> ChatTurn {
        guard flip() else { return .user(word()) }
        let image = ChatImage(base64: flip() ? "iVBORw0KGgo=" : "/9j/4AAQ")
        if form == .ollamaChat { return .parts([.text(word()), .image(image)]) }
        return .parts([.image(image), .text(word()), .image(ChatImage(.address("https://example.org/a.png")))])
    }

    /// Calls and their results, once or twice.
    private mutating func loop() -> [ChatTurn] {
        var turns: [ChatTurn] = []
        for round in 0..<Int.random(in: 1...2, using: &random) {
            let calls = (0..<Int.random(in: 1...3, using: &random)).map { index in
                ChatCall(
                    id: "call_\(round)_\(index)", name: "f\(index)",
                    written: #"{"zeta":[1,2.5,"日本"],"alpha":{"b":null,"a":\#(index)}}"#)
            }
            turns.append(.assistant(ChatReply(text: flip() ? text() : "", calls: calls)))
            turns += calls.map {
                .toolResult(
                    id: $0.id, name: $0.name, text: word(), isError: form == .messages && flip())
            }
        }
        return turns
    }

    /// A schema whose members are in an order that no sorting gives.
    static func schema(_ random: inout SeededGenerator) -> JSONSource {
        let names = ["zeta", "alpha", "mid", "Beta", "10", "9"].shuffled(using: &random)
        let members = names.map { #""\#($0)":{"type":"string","description":"the \#($0)"}"# }.joined(separator: ",")
        let text =
            #"{"type":"object","properties":{\#(members)},"required":["\#(names[2])"],"additionalProperties":false}"#
        return JSONSource(parsing: text) ?? JSONSource(.null)
    }

    private mutating func flip() -> Bool { Bool.random(using: &random) }
    private mutating func text() -> String {
        (0...Int.random(in: 0...3, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
            .joined(separator: " ")
    }
    /// A text that is not empty.
    private mutating func word() -> String { "w" + text() }
}

extension ChatProtocol {
    /// Writes a request for a provider of this protocol.
    func encode(_ request: ModelChatRequest) -> [UInt8] {
        switch self {
        case .completions: return OpenAIChatBody(provider: "p", canThink: true).encode(request)
        case .messages:
            var model = AnthropicModel()
            model.thinkingTypes = ["adaptive", "enabled", "disabled"]
            return AnthropicChatBody(provider: "p", model: model).encode(request)
        case .ollamaChat, .ollamaGenerate, .responses: return OllamaChatBody.json(request)
        }
    }

    func decode(_ json: [UInt8]) throws -> ClientRequest { try read(try JSONDocument(parsing: json)) }

    func decode(_ json: String) throws -> ClientRequest { try decode(Array(json.utf8)) }

    /// What is left of a request in this protocol: the table of what cannot be said.
    func keeping(_ request: ModelChatRequest) -> ModelChatRequest {
        var kept = request
        for index in kept.tools.indices where self != .completions {
            if self == .ollamaChat || kept.tools[index].isStrict == false { kept.tools[index].isStrict = nil }
        }
        if case .schema(var schema)? = kept.format {
            schema.name = self == .completions ? schema.name ?? "answer" : nil
            (schema.summary, schema.isStrict) = self == .completions ? (schema.summary, schema.isStrict) : (nil, nil)
            kept.format = .schema(schema)
        }
        kept.turns = kept.turns.map(keeping)
        switch self {
        case .ollamaChat: (kept.toolChoice, kept.callsInParallel) = (nil, nil)
        case .completions:
            kept.contextTokens = nil
            if kept.thinks == true { kept.effort = kept.effort ?? "medium" }
        case .messages:
            let stop = kept.sampling.stop
            kept.sampling = ChatSampling()
            kept.sampling.stop = stop
            (kept.temperature, kept.contextTokens) = (nil, nil)
            (kept.givesProbabilities, kept.otherProbabilities) = (false, nil)
            if kept.format == .json { kept.format = nil }
            if kept.thinks == nil { kept.effort = nil }
            if kept.callsInParallel != false || kept.toolChoice == ChatToolChoice.none { kept.callsInParallel = nil }
            if kept.callsInParallel == false { kept.toolChoice = kept.toolChoice ?? .auto }
            if kept.tools.isEmpty { (kept.toolChoice, kept.callsInParallel) = (nil, nil) }
        case .ollamaGenerate, .responses: break
        }
        return kept
    }

    private func keeping(_ turn: ChatTurn) -> ChatTurn {
        switch (turn, self) {
        case (.toolResult(let id, let name, let text, _), .ollamaChat),
            (.toolResult(let id, let name, let text, _), .completions):
            return .toolResult(id: id, name: name, text: text, isError: false)
        case (.parts(let parts), .ollamaChat):
            let text = parts.compactMap(\.text).joined(separator: "\n")
            let images = parts.filter { part in
                if case .image(let image) = part, case .data = image.source { true } else { false }
            }
            return images.isEmpty ? .user(text) : .parts((text.isEmpty ? [] : [.text(text)]) + images)
        default: return turn
        }
    }
}
