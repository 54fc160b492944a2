import Foundation

/// `/v1/messages`, Anthropic's API.
extension API {
    func messages(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "anthropic.MessagesRequest")
        let name = try body.text("model") ?? ""
        guard !name.isEmpty else { throw APIError(400, "model is required") }
        guard let limit = try body.int("max_tokens"), limit > 0 else {
            throw APIError(400, "max_tokens is required and must be positive")
        }
        let model = try model(name)
        guard model.can("completion") else { throw APIError(400, "\(quoted(name)) does not support chat") }
        let raw = try body.array("messages") ?? []
        guard !raw.isEmpty else { throw APIError(400, "messages is required") }
        var inference = Inference(name: name, demand: .init(model: model), messages: [])
        if let system = body.json["system"] {
            inference.messages.append(.init(role: "system", content: Self.text(system)))
        }
        for json in raw {
            let parts = json["content"]?.elements ?? []
            let results = parts.filter { $0["type"] == "tool_result" }
            for result in results {
                inference.messages.append(.init(role: "tool", content: result["content"].map(Self.text) ?? ""))
            }
            guard results.isEmpty else { continue }
            inference.messages.append(
                .init(
                    role: json["role"]?.text ?? "", content: json["content"].map(Self.text) ?? "",
                    imageCount: parts.filter { $0["type"] == "image" }.count))
        }
        // In this API a tool's function is not nested, and its schema has another name.
        inference.tools = try (body.array("tools") ?? []).compactMap { tool in
            Tool([
                "function": .compact([
                    "name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"],
                ])
            ])
        }
        if !inference.tools.isEmpty { try require("tools", of: model) }
        inference.limit = limit
        inference.isStream = try body.flag("stream") ?? false
        let thinks = try body.object("thinking")?["type"] == "enabled"
        inference.isThinking = try self.thinks(.bool(thinks), model: model, name: name)
        try await run(inference, as: MessagesFormat(number: inference.number, model: name), fault)
    }

    /// The text of a string, or of a list of blocks.
    private static func text(_ json: JSON) -> String {
        json.text ?? (json.elements ?? []).compactMap { $0["text"]?.text }.joined()
    }
}

/// Events and objects of the messages API.
struct MessagesFormat: AnswerFormat {
    private let number: Int
    private let model: String
    private var index = 0
    /// The kind of the open block; nil when none is open.
    private var open: String?
    private var isStarted = false
    private var hasCalled = false

    var kind: LineStream.Kind { .events }

    init(number: Int, model: String) { (self.number, self.model) = (number, model) }

    private func event(_ name: String, _ members: JSON) -> String {
        let all = [.init(key: "type", value: .string(name))] + (members.members ?? [])
        return "event: \(name)\ndata: \(JSON.object(all).encoded)\n\n"
    }

    private func message(_ content: [JSON], reason: JSON, _ ending: Inference.Ending?) -> JSON {
        [
            "id": .string("msg_\(number)"), "type": "message", "role": "assistant", "model": .string(model),
            "content": .array(content), "stop_reason": reason, "stop_sequence": .null, "usage": usage(ending),
        ]
    }

    private func usage(_ ending: Inference.Ending?) -> JSON {
        ["input_tokens": JSON(ending?.promptTokens ?? 0), "output_tokens": JSON(ending?.tokens ?? 0)]
    }

    private func reason(_ ending: Inference.Ending?) -> JSON {
        if hasCalled { return "tool_use" }
        return ending?.reason == "length" ? "max_tokens" : "end_turn"
    }

    /// Opens a block of a kind, unless it is open.
    private mutating func begin(_ kind: String, _ block: JSON) -> String {
        guard open != kind || kind == "tool_use" else { return "" }
        let text = finish() + event("content_block_start", ["index": JSON(index), "content_block": block])
        open = kind
        return text
    }

    private mutating func finish() -> String {
        guard open != nil else { return "" }
        defer { (open, index) = (nil, index + 1) }
        return event("content_block_stop", ["index": JSON(index)])
    }

    private func delta(_ delta: JSON) -> String {
        event("content_block_delta", ["index": JSON(index), "delta": delta])
    }

    mutating func flushes(_ event: Inference.Event) -> [String] {
        var text = ""
        if !isStarted {
            isStarted = true
            text += self.event("message_start", ["message": message([], reason: .null, nil)])
        }
        switch event {
        case .thinking(let thought):
            text += begin("thinking", ["type": "thinking", "thinking": ""])
            text += delta(["type": "thinking_delta", "thinking": .string(thought)])
        case .text(let piece):
            text += begin("text", ["type": "text", "text": ""])
            text += delta(["type": "text_delta", "text": .string(piece)])
        case .toolCall(let name, let arguments):
            hasCalled = true
            text += begin(
                "tool_use",
                [
                    "type": "tool_use", "id": .string(NativeFormat.identifier(of: (name, arguments))),
                    "name": .string(name), "input": [:],
                ])
            text += delta(["type": "input_json_delta", "partial_json": .string(arguments.encoded)])
        case .done(let ending):
            text += finish()
            text += self.event(
                "message_delta",
                ["delta": ["stop_reason": reason(ending), "stop_sequence": .null], "usage": usage(ending)])
            text += self.event("message_stop", [:])
        }
        return [text]
    }

    mutating func whole(_ events: [Inference.Event]) -> (type: String, text: String) {
        var content: [JSON] = []
        if !events.thinking.isEmpty { content.append(["type": "thinking", "thinking": .string(events.thinking)]) }
        if !events.text.isEmpty { content.append(["type": "text", "text": .string(events.text)]) }
        for call in events.toolCalls {
            content.append([
                "type": "tool_use", "id": .string(NativeFormat.identifier(of: call)), "name": .string(call.name),
                "input": call.arguments,
            ])
        }
        hasCalled = !events.toolCalls.isEmpty
        return ("application/json", message(content, reason: reason(events.ending), events.ending).encoded + "\n")
    }
}
