import Foundation

/// The answer of the fake model: the same question always gets the same answer.
struct Answer: Sendable {
    let events: [Inference.Event]

    init(_ inference: Inference, loadSeconds: Double, options: FakeOllama.Options) throws(APIError) {
        var events: [Inference.Event] = []
        let prompt = inference.messages.last?.content ?? ""
        if inference.isThinking {
            events += ["The ", "question ", "asks ", "for ", "thought."].map { .thinking($0) }
        }
        var reason = "stop"
        if let line = options.script?.next() {
            switch line {
            case .text(let text): events += Self.split(text).map { .text($0) }
            case .call(let name, let arguments): events.append(try Self.call(name, arguments))
            case .textAndCall(let text, let name, let arguments):
                events += Self.split(text).map { .text($0) }
                events.append(try Self.call(name, arguments))
            }
        } else if let call = ToolChoice.call(for: inference) {
            events.append(.toolCall(name: call.name, arguments: call.arguments))
        } else {
            var pieces = try Self.pieces(for: inference, prompt: prompt, options: options)
            if inference.limit >= 0, pieces.isCut {
                pieces.tokens = Array(pieces.tokens.prefix(inference.limit))
                reason = "length"
            }
            events += pieces.tokens.map { .text($0) }
        }
        events.append(
            .done(
                .init(
                    reason: reason, promptTokens: inference.promptTokens, tokens: events.count,
                    loadNanoseconds: 1_000_000 + Int(loadSeconds * 1e9))))
        self.events = events
    }

    /// The tokens of an answer, and whether the limit cuts it.
    private static func pieces(
        for inference: Inference, prompt: String, options: FakeOllama.Options
    ) throws(APIError) -> (tokens: [String], isCut: Bool) {
        if let format = inference.format, !format.isNull, format != "" {
            let tokens = split(try instance(of: format, options: options))
            return (tokens, inference.limit >= 0 && tokens.count > inference.limit)
        }
        if inference.messages.last?.role == "tool" { return (split("The tool says: " + prompt), false) }
        let answer = SyntheticText.tokens(
            for: prompt, after: inference.messages.dropLast().filter { $0.role == "user" }.map(\.content),
            limit: inference.limit < 0 ? options.tokens : inference.limit)
        let whole = answer.tokens.joined()
        let ends = inference.stops.compactMap { $0.isEmpty ? nil : whole.range(of: $0)?.lowerBound }
        if let end = ends.min() { return (split(String(whole[..<end])), false) }
        return (answer.tokens, inference.limit >= 0 && !answer.isFromNotes)
    }

    private static func instance(of format: JSON, options: FakeOllama.Options) throws(APIError) -> String {
        if format == "json" { return #"{"answer":"the gateway passes every line of this answer on","count":3}"# }
        guard format.members != nil else {
            throw APIError(
                500, "invalid format: \(quoted(format.encoded)); expected \"json\" or a valid JSON Schema object")
        }
        return SchemaInstance(schema: format).value.encoded
    }

    private static func call(_ name: String, _ arguments: String) throws(APIError) -> Inference.Event {
        guard let json = try? JSONParser.parse(arguments.utf8) else { throw APIError(500, "a script is not JSON") }
        return .toolCall(name: name, arguments: json)
    }

    /// Splits a text into pieces of a few characters, like tokens.
    private static func split(_ text: String) -> [String] {
        var pieces: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(6)))
            rest = rest.dropFirst(6)
        }
        return pieces
    }
}

/// Decides whether a message calls a tool, and with which arguments.
///
/// The last message of a user calls a tool when it contains a word of the tool's name, or the word "tool". Text
/// arguments come from the words after "in", "for", "of", "about" or "to", number arguments from numbers in the
/// message.
enum ToolChoice {
    static func call(for inference: Inference) -> (name: String, arguments: JSON)? {
        guard let message = inference.messages.last, message.role == "user", !inference.tools.isEmpty else {
            return nil
        }
        // A prompt with notes has its question at the end; the words of notes call nothing.
        let question = message.content.range(of: "\nQuestion: ", options: .backwards)?.upperBound
        let words = words(of: question.map { String(message.content[$0...]) } ?? message.content)
        let asked = Set(words.map { $0.lowercased() })
        let tool = inference.tools.first { tool in
            !asked.isDisjoint(with: parts(of: tool.name)) || asked.contains("tool")
        }
        guard let tool else { return nil }
        let names = ["in", "for", "of", "about", "to"]
        var texts = zip(words, words.dropFirst()).filter { names.contains($0.0.lowercased()) }.map(\.1)[...]
        var numbers = words.filter { if case .number = try? JSONParser.parse($0.utf8) { true } else { false } }[...]
        let members = (tool.parameters["properties"]?.members ?? []).map { member in
            var value = SchemaInstance(schema: member.value, root: tool.parameters, name: member.key).value
            let isChoice = member.value["enum"] != nil || member.value["const"] != nil
            if !isChoice, value.text != nil, let text = texts.popFirst() { value = .string(text) }
            if !isChoice, value.double != nil, let number = numbers.popFirst() { value = .number(number) }
            return JSON.Member(key: member.key, value: value)
        }
        return (tool.name, .object(members))
    }

    /// The words of three letters or more, without verbs that fit any tool.
    private static func parts(of name: String) -> Set<String> {
        let parts = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return Set(parts.filter { $0.count > 2 && !["get", "the", "set", "call", "run"].contains($0) })
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "-" }
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: ".-")) }.filter { !$0.isEmpty }
    }
}
