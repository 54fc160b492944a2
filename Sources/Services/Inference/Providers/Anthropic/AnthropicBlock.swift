import GatewayAPI

/// A part of an answer of Anthropic's API while it comes: text, thinking or a call.
struct AnthropicBlock: Sendable {
    private let type: String
    private let start: JSONValue
    /// The arguments that the beginning of a call has already, as the model wrote them.
    private let given: JSONSource?
    /// The place of a call among those of the answer; nil for other parts.
    let callIndex: Int?
    private var text: String
    private var signature: String
    /// The places of the passages that the text cites, among all of the request.
    private var cited: [Int] = []

    /// Begins a block.
    ///
    /// - Parameters:
    ///   - start: The value of `content_block`.
    ///   - calls: The number of calls before it.
    init(_ start: JSONPlace, calls: Int) {
        self.start = start.value ?? .object([:])
        given = start["input"].flatMap { $0.isObject ? JSONSource($0) : nil }
        callIndex = start["type"]?.text == "tool_use" ? calls : nil
        type = start["type"]?.text ?? ""
        text = (type == "text" ? start["text"]?.text : type == "thinking" ? start["thinking"]?.text : nil) ?? ""
        signature = start["signature"]?.text ?? ""
    }

    /// The event of the text that the beginning has already; usually nil.
    var first: ChatEvent? { text.isEmpty ? nil : type == "thinking" ? .thinking(text) : .text(text) }

    /// Adds a piece; returns its event, nil when there is none.
    mutating func add(_ delta: JSONPlace) -> ChatEvent? {
        switch (type, delta["type"]?.text) {
        case ("text", "text_delta"):
            guard let more = delta["text"]?.text, !more.isEmpty else { return nil }
            text += more
            return .text(more)
        case ("text", "citations_delta"):
            let citation = delta["citation"]
            guard citation?["type"]?.text == "search_result_location",
                let place = citation?["search_result_index"]?.count, !cited.contains(place)
            else { return nil }
            cited.append(place)
        case ("thinking", "thinking_delta"):
            guard let more = delta["thinking"]?.text, !more.isEmpty else { return nil }
            text += more
            return .thinking(more)
        case ("thinking", "signature_delta"): signature += delta["signature"]?.text ?? ""
        case ("tool_use", "input_json_delta"):
            let more = delta["partial_json"]?.text ?? ""
            text += more
            return more.isEmpty ? nil : piece(more)
        default: break
        }
        return nil
    }

    /// The citations of a text, as they follow it in the answer; nil for none.
    ///
    /// - Parameter passages: The numbers of the passages, in order.
    func markers(_ passages: [Int]) -> String? {
        let numbers = cited.filter(passages.indices.contains).map { passages[$0] }
        guard !numbers.isEmpty else { return nil }
        return numbers.map { " [\($0)]" }.joined()
    }

    /// The call; nil when the block is no call.
    var call: ChatCall? {
        guard type == "tool_use" else { return nil }
        return ChatCall(id: start["id"]?.text ?? "", name: start["name"]?.text ?? "", written: written)
    }

    /// A piece of the call; nil when the block is no call.
    func piece(_ text: String) -> ChatEvent? {
        callIndex.map { index in
            .callPiece(
                ChatCallPiece(index: index, id: start["id"]?.text ?? "", name: start["name"]?.text ?? "", text: text))
        }
    }

    private var written: String { text.isEmpty ? given?.text ?? "" : text }
    private var arguments: JSONValue { ChatCall.arguments(written) }

    /// The block as it goes back to continue; nil when it does not.
    var value: JSONValue? {
        switch type {
        case "text": text.isEmpty ? nil : .object(["type": .string("text"), "text": .string(text)])
        case "thinking":
            .object(["type": .string(type), "thinking": .string(text), "signature": .string(signature)])
        case "redacted_thinking": .object(["type": .string(type), "data": start["data"] ?? .string("")])
        case "tool_use":
            .object([
                "type": .string(type), "id": start["id"] ?? .string(""), "name": start["name"] ?? .string(""),
                "input": arguments.isObject ? arguments : .object([:]),
            ])
        default: nil
        }
    }
}
