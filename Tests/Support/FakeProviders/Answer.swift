import FakeOllama

/// What a model is asked, independent of the API.
struct Question {
    var model: String
    /// The text of the last user message.
    var text = ""
    /// The pictures of the last user message: media types, and addresses.
    var pictures: [String] = []
    /// The results of calls that follow it.
    var results: [String] = []
    /// The tools by name, with the schemas of their arguments.
    var tools: [(name: String, schema: JSON)] = []
    /// The passages that the answer may cite.
    var passages: [(source: String, title: String, text: String)] = []
    var thinks = false
    /// The schema of the answer.
    var schema: JSON?
    var limit: Int?
    /// The words of all messages.
    var words = 0
}

/// The answer of the fake model: the same question always gets the same answer.
struct Answer {
    enum Reason { case stop, length, calls, refused }
    var thinking: [String] = []
    var text: [String] = []
    var calls: [(id: String, name: String, arguments: String)] = []
    var reason = Reason.stop

    /// The number of tokens.
    var tokens: Int { thinking.count + text.count + calls.count }

    init(_ question: Question, tokens: Int) {
        if question.thinks { thinking = ["The question ", "asks for ", "thought 🤔."] }
        let asked = question.text.lowercased()
        let named = question.tools.filter { asked.contains($0.name.lowercased()) }
        if asked.contains("refuse") {
            text = ["I cannot ", "do that."]
            reason = .refused
        } else if question.results.isEmpty, asked.contains("tool"), let first = question.tools.first {
            text = ["Let me ", "look."]
            for (index, tool) in (named.isEmpty ? [first] : named).enumerated() {
                let arguments = SchemaInstance(schema: tool.schema, root: tool.schema, name: tool.name).value.encoded
                calls.append(("call_\(index + 1)_\(tool.name)", tool.name, arguments))
            }
            reason = .calls
        } else if !question.pictures.isEmpty {
            text = Self.pieces(of: "I see " + question.pictures.joined(separator: " and "))
        } else if let schema = question.schema {
            text = Self.pieces(of: SchemaInstance(schema: schema).value.encoded)
        } else if !question.results.isEmpty {
            text = Self.pieces(of: "The tools say: " + question.results.joined(separator: "; "))
        } else {
            let words = ["Grüße", "🎻", "日本", "the", "gateway", "passes", "every", "word"]
            text = (0..<tokens).map { words[$0 % words.count] + " " }
        }
        guard let limit = question.limit, calls.isEmpty, text.count > limit else { return }
        text = Array(text.prefix(limit))
        reason = .length
    }

    /// A text in pieces of a few characters, like tokens.
    static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(5)))
            rest = rest.dropFirst(5)
        }
        return pieces
    }
}

extension String {
    /// The number of words.
    var words: Int { split(whereSeparator: \.isWhitespace).count }
}
