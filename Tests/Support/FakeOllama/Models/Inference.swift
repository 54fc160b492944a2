import Foundation

/// A tool that a message may call.
struct Tool: Sendable {
    var name: String
    var parameters: JSON

    init?(_ json: JSON) {
        guard let function = json["function"], let name = function["name"]?.text else { return nil }
        self.name = name
        parameters = function["parameters"] ?? [:]
    }
}

/// One message of a conversation.
struct Message: Sendable {
    var role: String
    var content: String
    var imageCount = 0
}

/// A request for a model, independent of the route.
struct Inference: Sendable {
    /// The name as the client wrote it.
    var name: String
    var demand: Demand
    var messages: [Message]
    var tools: [Tool] = []
    /// `"json"`, a schema, or nothing.
    var format: JSON?
    var isThinking = false
    /// The most tokens of the answer; a negative number leaves the limit to the model.
    var limit = -1
    var stops: [String] = []
    var isStream = true

    /// A piece of a model's output.
    enum Event: Sendable {
        case thinking(String)
        case text(String)
        case toolCall(name: String, arguments: JSON)
        case done(Ending)
    }

    /// The end of an answer. Times are in nanoseconds.
    struct Ending: Sendable {
        var reason: String
        var promptTokens: Int
        var tokens: Int
        var loadNanoseconds: Int

        /// The fields of a last line, in Ollama's order.
        var metrics: String {
            let total = loadNanoseconds + 4_000_000
            var text = #""total_duration":\#(total),"load_duration":\#(loadNanoseconds)"#
            if promptTokens > 0 { text += #","prompt_eval_count":\#(promptTokens)"# }
            text += #","prompt_eval_duration":1000000"#
            if tokens > 0 { text += #","eval_count":\#(tokens)"# }
            return text + #","eval_duration":3000000"#
        }
    }

    /// The tokens of all messages; a word is a token.
    var promptTokens: Int { messages.reduce(0) { $0 + SyntheticText.count($1.content) + 256 * $1.imageCount } }

    /// An identifier that is the same for equal requests.
    var number: Int { Int(SyntheticText.hash(messages.map(\.content).joined(separator: "\n")) % 999) }
}

/// The format in which a route writes a model's output.
protocol AnswerFormat {
    var kind: LineStream.Kind { get }
    mutating func flushes(_ event: Inference.Event) -> [String]
    /// The whole answer with its content type.
    mutating func whole(_ events: [Inference.Event]) -> (type: String, text: String)
}

extension API {
    /// Runs a request to its end, streamed or not.
    func run(_ inference: Inference, as format: some AnswerFormat, _ fault: Fault.Kind?) async throws {
        try await server.withModel(inference.demand, for: exchange) { loadSeconds in
            try await exchange.pause(options.latency)
            let answer = try Answer(inference, loadSeconds: loadSeconds, options: options)
            exchange.enter(.streaming)
            var format = format
            guard inference.isStream else {
                for event in answer.events where event.isToken { try await exchange.pause(tokenPause) }
                let whole = format.whole(answer.events)
                return try await exchange.send(type: whole.type, fault: fault, whole.text)
            }
            let stream = LineStream(exchange, fault: fault, kind: format.kind)
            if case .giantLine(let bytes) = fault {
                // Uses a copy of the format, so that the answer's context stays small. The text is never scanned,
                // because it may be huge.
                var copy = format
                for flush in copy.flushes(.text("GIANT")) {
                    let parts = flush.components(separatedBy: "GIANT")
                    try await stream.giant(parts.joined(separator: String(repeating: "x", count: bytes)))
                }
            }
            for event in answer.events {
                if event.isToken { try await exchange.pause(tokenPause) }
                for flush in format.flushes(event) { try await stream.put(flush) }
            }
            try await stream.end()
        }
    }

    private var tokenPause: Double { options.tokensPerSecond > 0 ? 1 / options.tokensPerSecond : 0 }
}

extension Inference.Event {
    var isToken: Bool { if case .done = self { false } else { true } }
}

extension [Inference.Event] {
    var text: String { map { if case .text(let text) = $0 { text } else { "" } }.joined() }
    var thinking: String { map { if case .thinking(let text) = $0 { text } else { "" } }.joined() }
    var toolCalls: [(name: String, arguments: JSON)] {
        compactMap { if case .toolCall(let name, let arguments) = $0 { (name, arguments) } else { nil } }
    }
    var ending: Inference.Ending? {
        for case .done(let ending) in reversed() { return ending }
        return nil
    }
}
