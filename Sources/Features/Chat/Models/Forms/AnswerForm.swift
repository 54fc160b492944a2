import ChatRoom
import GatewayAPI
import Inference

/// How a model API asks a question and gets its answer.
protocol AnswerForm: Sendable {
    /// The question of the request.
    var question: ModelQuestion { get }
    /// The content type of a stream.
    static var streamType: String { get }

    /// Reads a request.
    ///
    /// - Parameter path: The route, without a query.
    /// - Throws: ``ModelRequestFault``.
    init(_ body: JSONValue, at path: String) throws

    /// The beginning of a stream, before the first text.
    mutating func opening(_ head: AnswerHead) -> [UInt8]
    /// A piece of the answer.
    mutating func text(_ piece: String, _ head: AnswerHead) -> [UInt8]
    /// The end of a stream.
    mutating func closing(_ answer: WholeAnswer) -> [UInt8]
    /// The end of a stream that failed.
    ///
    /// - Parameter error: The error in the API's form.
    func broken(_ error: [UInt8]) -> [UInt8]
    /// The answer as one object.
    func whole(_ answer: WholeAnswer) -> JSONValue
}

/// What is known of an answer before its text.
struct AnswerHead: Sendable {
    /// The run's id.
    let run: String
    /// The model as the client named it.
    let model: String
    /// Seconds since 1970.
    let created: Int64
}

/// An answer that is complete.
struct WholeAnswer: Sendable {
    let head: AnswerHead
    let run: ChatRun
    let sources: AnswerSources
    /// The answer with its list of sources.
    let text: String

    init(_ head: AnswerHead, _ run: ChatRun, _ sources: AnswerSources) {
        (self.head, self.run, self.sources) = (head, run, sources)
        text = (run.text ?? "") + sources.text
    }

    /// Whether the answer reached the limit of its length.
    var isCut: Bool { run.stopReason == "length" }
    var promptTokens: Int64 { Int64(run.record?.usage?.promptTokens ?? 0) }
    var completionTokens: Int64 { Int64(run.record?.usage?.completionTokens ?? 0) }

    /// A duration of the run in nanoseconds.
    func nanoseconds(_ name: String) -> Int64 {
        let milliseconds = run.record?.timingsMilliseconds[name] ?? 0
        return Int64(min(max(0, milliseconds), 1e12) * 1e6)
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

extension AnswerForm {
    /// An event of a stream of events.
    static func event(_ name: String? = nil, _ data: JSONValue) -> [UInt8] {
        Array(((name.map { "event: \($0)\n" } ?? "") + "data: ").utf8) + data.json + Array("\n\n".utf8)
    }
}
