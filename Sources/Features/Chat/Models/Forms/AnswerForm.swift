import ChatRoom
import GatewayAPI
import Inference

/// How a model API asks a question, and what writes the answer.
protocol AnswerForm: Sendable {
    /// The question of the request.
    var question: ModelQuestion { get }
    /// Reads a request.
    ///
    /// - Parameter path: The route, without a query.
    /// - Throws: ``ModelRequestFault``.
    init(_ body: JSONValue, at path: String) throws

    /// What writes the answer.
    func writer(_ head: AnswerHead) -> any AnswerWriter
}

/// An answer that is complete.
struct WholeAnswer: Sendable {
    let content: AnswerContent
    let end: AnswerEnd
    /// The list of sources behind the text; empty without sources.
    let sources: String

    /// - Parameter thoughts: What the model thought before the text.
    init(_ run: ChatRun, _ sources: AnswerSources, thoughts: String = "") {
        self.sources = sources.text
        var content = AnswerContent()
        content.take(.thinking(thoughts))
        content.take(.text((run.text ?? "") + sources.text))
        var end = AnswerEnd()
        if run.stopReason == "length" { end.reason = .length }
        end.usage = ChatUsage(
            promptTokens: run.record?.usage?.promptTokens, completionTokens: run.record?.usage?.completionTokens)
        func nanoseconds(_ name: String) -> Int64 {
            Int64(min(max(0, run.record?.timingsMilliseconds[name] ?? 0), 1e12) * 1e6)
        }
        let hasThought = run.record?.timingsMilliseconds["first_thought"] != nil
        (end.total, end.first) = (nanoseconds("total"), nanoseconds(hasThought ? "first_thought" : "first_token"))
        let places = Dictionary(
            sources.passages.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        end.citations = sources.citations.map { citation in
            AnswerCitation(
                range: citation.range, title: citation.passage.title, address: citation.address,
                text: citation.passage.text, place: places[citation.passage.number] ?? 0)
        }
        (self.content, self.end) = (content, end)
    }
}

/// A question in the form of a model API, with the conversation before it.
struct ModelQuestion: Sendable {
    /// The name of the model.
    var model: String
    /// The messages, oldest first; the last is the question. Empty asks to load the model only.
    var messages: [EarlierMessage] = []
    /// What the client's program tells the model.
    var instructions: [String] = []
    var streams: Bool
    /// Whether the model thinks first; nil for its default.
    var thinks: Bool?
    /// The run of the answer that the question follows; nil to tell it from the messages.
    var previous: String?

    init(_ body: JSONValue, streams: Bool) throws {
        guard let model = body["model"]?.text, !model.isEmpty else { throw ModelRequestFault("model", "is required") }
        (self.model, self.streams) = (model, body["stream"]?.flag ?? streams)
        try Self.refuse(body)
    }

    /// Adds a message.
    ///
    /// - Parameter place: Its place in the request, for errors.
    mutating func add(_ message: JSONValue, at place: String) throws {
        for name in ["tool_calls", "images"] where !(message[name]?.elements?.isEmpty ?? true) {
            throw ModelRequestFault("\(place).\(name)", ModelRequestFault.textOnly)
        }
        let text = try MessageText.of(message["content"], at: "\(place).content")
        switch message["role"]?.text {
        case "system", "developer": if !text.isEmpty { instructions.append(text) }
        case "user": messages.append(EarlierMessage(isUser: true, text: text))
        // An answer without text, such as one that was stopped at once, says nothing.
        case "assistant": if !text.isEmpty { messages.append(EarlierMessage(isUser: false, text: text)) }
        default:
            throw ModelRequestFault(
                "\(place).role", "expected system, user or assistant; " + ModelRequestFault.textOnly)
        }
    }

    /// Refuses what an answer from notes cannot be. Other options of models have no effect.
    private static func refuse(_ body: JSONValue) throws {
        if let choice = body["tool_choice"] {
            let word = choice.text ?? choice["type"]?.text ?? "function"
            guard ["auto", "none"].contains(word) else {
                throw ModelRequestFault("tool_choice", ModelRequestFault.textOnly)
            }
        }
        for name in ["format", "response_format", "suffix"] {
            guard let value = body[name], value != .null, value.text != "", value["type"]?.text != "text" else {
                continue
            }
            throw ModelRequestFault(name, ModelRequestFault.textOnly)
        }
        if body["raw"]?.flag == true { throw ModelRequestFault("raw", ModelRequestFault.textOnly) }
    }
}

/// Why a request cannot be answered.
struct ModelRequestFault: Error, Hashable {
    static let textOnly =
        "a model of the notes answers in text with sources, from text; ask another model for this, or leave it out"

    let field: String
    let reason: String

    init(_ field: String, _ reason: String) { (self.field, self.reason) = (field, reason) }
}

/// The text of a message, which may come in parts.
enum MessageText {
    static func of(_ content: JSONValue?, at place: String) throws -> String {
        switch content {
        case nil, .null: return ""
        case .string(let text): return text
        case .array(let parts):
            return try parts.enumerated().compactMap { index, part -> String? in
                if let text = part.text { return text }
                switch part["type"]?.text {
                case "text", "input_text", "output_text": return part["text"]?.text ?? ""
                // What a model thought before an answer is no part of the conversation.
                case "thinking", "redacted_thinking": return nil
                default: throw ModelRequestFault("\(place)[\(index)]", ModelRequestFault.textOnly)
                }
            }.joined(separator: "\n")
        default: throw ModelRequestFault(place, "expected a text or a list of parts")
        }
    }
}
