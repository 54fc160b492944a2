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

    /// - Parameters:
    ///   - base: The address of the gateway's pages.
    ///   - earlier: What the answer before the results of calls had.
    ///   - thoughts: What the model thought before the text.
    ///   - calls: The calls with which the answer ends. The sources then stand behind the text that follows their results.
    init(_ run: ChatRun, base: String, after earlier: RunBeginning, thoughts: String = "", calls: [ChatCall]) {
        let sources = AnswerSources(of: run, base: base, from: earlier.bytes)
        self.sources = calls.isEmpty ? sources.text : ""
        var content = AnswerContent()
        content.take(.thinking(thoughts))
        content.take(
            .text(String(decoding: (run.text ?? "").utf8.dropFirst(earlier.bytes), as: UTF8.self) + self.sources))
        for call in calls { content.take(.call(call)) }
        var end = AnswerEnd()
        if run.stopReason == "length" { end.reason = .length }
        if !calls.isEmpty { end.reason = .calls }
        end.usage = ChatUsage(
            promptTokens: (run.record?.usage?.promptTokens).map { $0 - (earlier.tokens?.promptTokens ?? 0) },
            completionTokens: (run.record?.usage?.completionTokens).map { $0 - (earlier.tokens?.completionTokens ?? 0) }
        )
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
    /// Whether the request offers tools of the client, or has calls of them.
    private(set) var hasTools: Bool
    /// The text in front of calls, which belongs to the answer behind their results.
    private var calledText = ""
    /// Whether the model thinks first; nil for its default.
    var thinks: Bool?
    /// The run of the answer that the question follows; nil to tell it from the messages.
    var previous: String?

    init(_ body: JSONValue, streams: Bool) throws {
        guard let model = body["model"]?.text, !model.isEmpty else { throw ModelRequestFault("model", "is required") }
        (self.model, self.streams) = (model, body["stream"]?.flag ?? streams)
        hasTools = !(body["tools"]?.elements?.isEmpty ?? true) && Self.toolChoice(body) != "none"
        try Self.refuse(body)
    }

    /// Adds a message.
    ///
    /// - Parameter place: Its place in the request, for errors.
    mutating func add(_ message: JSONValue, at place: String) throws {
        if !(message["images"]?.elements?.isEmpty ?? true) {
            throw ModelRequestFault("\(place).images", ModelRequestFault.textOnly)
        }
        let text = try MessageText.of(message["content"], at: "\(place).content")
        let kinds = Set((message["content"]?.elements ?? []).compactMap { $0["type"]?.text })
        switch message["role"]?.text {
        case "system", "developer": if !text.isEmpty { instructions.append(text) }
        case "user" where text.isEmpty && kinds.contains("tool_result"), "tool": hasTools = true
        case "user":
            calledText = ""
            messages.append(EarlierMessage(isUser: true, text: text))
        case "assistant":
            if !(message["tool_calls"]?.elements?.isEmpty ?? true) || kinds.contains("tool_use") { return call(text) }
            let whole = Self.joined(calledText, text)
            calledText = ""
            // An answer without text, such as one that was stopped at once, says nothing.
            if !whole.isEmpty { messages.append(EarlierMessage(isUser: false, text: whole)) }
        default:
            throw ModelRequestFault(
                "\(place).role", "expected system, user or assistant; " + ModelRequestFault.textOnly)
        }
    }

    /// Adds an answer that ends with calls. What it says belongs to the answer behind their results, as the gateway stores it.
    ///
    /// - Parameter text: Its text; empty when that is the message before.
    mutating func call(_ text: String) {
        hasTools = true
        var text = text
        if text.isEmpty, let last = messages.last, !last.isUser {
            text = last.text
            messages.removeLast()
        }
        calledText = Self.joined(calledText, text)
    }

    private static func joined(_ first: String, _ second: String) -> String {
        first.isEmpty || second.isEmpty ? first + second : first + "\n\n" + second.drop(while: \.isNewline)
    }

    private static func toolChoice(_ body: JSONValue) -> String {
        guard let choice = body["tool_choice"], choice != .null else { return "auto" }
        return choice.text ?? choice["type"]?.text ?? "function"
    }

    /// Refuses what an answer from notes cannot be. Other options of models have no effect.
    private static func refuse(_ body: JSONValue) throws {
        guard ["auto", "none"].contains(toolChoice(body)) else {
            throw ModelRequestFault(
                "tool_choice", "a model of the notes may always answer from them; leave it out, or ask another model")
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
                // ``RunClient`` has calls and results.
                case "tool_use", "tool_result": return nil
                default: throw ModelRequestFault("\(place)[\(index)]", ModelRequestFault.textOnly)
                }
            }.joined(separator: "\n")
        default: throw ModelRequestFault(place, "expected a text or a list of parts")
        }
    }
}
