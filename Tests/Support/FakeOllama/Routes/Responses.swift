import Foundation

/// `/v1/responses`.
extension API {
    func responses(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "openai.ResponsesRequest")
        let name = try body.text("model") ?? ""
        guard !name.isEmpty else { throw APIError(400, "model is required") }
        let model = try model(name)
        guard model.can("completion") else { throw APIError(400, "\(quoted(name)) does not support chat") }
        var inference = Inference(name: name, demand: .init(model: model), messages: [])
        if let text = try body.text("instructions"), !text.isEmpty {
            inference.messages.append(.init(role: "system", content: text))
        }
        switch body.json["input"] {
        case .string(let text)?: inference.messages.append(.init(role: "user", content: text))
        case .array(let items)?: inference.messages += items.compactMap(Self.message)
        default: throw APIError(400, "input must be a string or array")
        }
        // In this API a tool's function is not nested.
        inference.tools = try (body.array("tools") ?? []).compactMap { Tool(["function": $0]) }
        if !inference.tools.isEmpty { try require("tools", of: model) }
        if let format = try body.object("text")?["format"], format["type"] == "json_schema" {
            inference.format = format["schema"]
        }
        inference.limit = try body.int("max_output_tokens") ?? -1
        inference.isStream = try body.flag("stream") ?? false
        inference.isThinking = try thinks(
            try Self.think(body.object("reasoning")?["effort"]?.text), model: model, name: name)
        try await run(inference, as: ResponseFormat(number: inference.number, model: name, body: body), fault)
    }

    private static func message(_ item: JSON) -> Message? {
        if item["type"] == "function_call_output" { return .init(role: "tool", content: item["output"]?.text ?? "") }
        guard let role = item["role"]?.text else { return nil }
        if let text = item["content"]?.text { return .init(role: role, content: text) }
        let parts = item["content"]?.elements ?? []
        return .init(
            role: role, content: parts.compactMap { $0["text"]?.text }.joined(),
            imageCount: parts.filter { $0["type"] == "input_image" }.count)
    }
}

/// Events and objects of the responses API. Ollama builds its events from maps, so their members are sorted.
struct ResponseFormat: AnswerFormat {
    private let number: Int
    private let model: String
    private let body: RequestBody
    private var sequence = 0
    private var index = 0
    private var text = ""
    private var thought = ""
    private var isStarted = false
    private var isWriting = false
    private var finished: [JSON] = []

    var kind: LineStream.Kind { .events }

    init(number: Int, model: String, body: RequestBody) {
        self.number = number
        self.model = model
        self.body = body
    }

    private var responseID: String { "resp_\(number)" }
    private var messageID: String { "msg_\(number)" }

    private mutating func event(_ name: String, _ members: JSON) -> String {
        var all = members.members ?? []
        all += [.init(key: "type", value: .string(name)), .init(key: "sequence_number", value: JSON(sequence))]
        sequence += 1
        return "event: \(name)\ndata: \(JSON.object(all).sorted.encoded)\n\n"
    }

    /// An event about the current item.
    private mutating func itemEvent(_ name: String, id: String, _ members: JSON) -> String {
        let place: JSON = ["item_id": .string(id), "output_index": JSON(index)]
        return event(name, .object((place.members ?? []) + (members.members ?? [])))
    }

    mutating func flushes(_ event: Inference.Event) -> [String] {
        var events: [String] = []
        if !isStarted {
            isStarted = true
            for name in ["response.created", "response.in_progress"] {
                events.append(
                    self.event(name, ["response": response(status: "in_progress", output: [], usage: nil).sorted]))
            }
        }
        switch event {
        case .thinking(let piece): events += think(piece)
        case .text(let piece): events += endThinking() + write(piece)
        case .toolCall(let name, let arguments): events += endThinking() + call((name, arguments))
        case .done(let ending): events += endThinking() + endWriting() + [complete(ending)]
        }
        return events
    }

    private mutating func think(_ piece: String) -> [String] {
        var events: [String] = []
        let id = "rs_\(number)"
        if thought.isEmpty {
            let item: JSON = ["id": .string(id), "type": "reasoning", "summary": []]
            events.append(event("response.output_item.added", ["output_index": JSON(index), "item": item]))
        }
        thought += piece
        let members: JSON = ["summary_index": 0, "delta": .string(piece)]
        return events + [itemEvent("response.reasoning_summary_text.delta", id: id, members)]
    }

    private mutating func endThinking() -> [String] {
        guard !thought.isEmpty else { return [] }
        let item = reasoning(thought)
        let members: JSON = ["summary_index": 0, "text": .string(thought)]
        let events = [
            itemEvent("response.reasoning_summary_text.done", id: "rs_\(number)", members),
            event("response.output_item.done", ["output_index": JSON(index), "item": item]),
        ]
        finished.append(item)
        thought = ""
        index += 1
        return events
    }

    private mutating func write(_ piece: String) -> [String] {
        var events: [String] = []
        if !isWriting {
            isWriting = true
            let added: JSON = ["output_index": JSON(index), "item": message(status: "in_progress", content: [])]
            events.append(event("response.output_item.added", added))
            let part: JSON = ["content_index": 0, "part": part("")]
            events.append(itemEvent("response.content_part.added", id: messageID, part))
        }
        text += piece
        let members: JSON = ["content_index": 0, "delta": .string(piece), "logprobs": []]
        return events + [itemEvent("response.output_text.delta", id: messageID, members)]
    }

    private mutating func endWriting() -> [String] {
        guard isWriting else { return [] }
        let item = message(status: "completed", content: [part(text)])
        let done: JSON = ["content_index": 0, "text": .string(text), "logprobs": []]
        let partDone: JSON = ["content_index": 0, "part": part(text)]
        let events = [
            itemEvent("response.output_text.done", id: messageID, done),
            itemEvent("response.content_part.done", id: messageID, partDone),
            event("response.output_item.done", ["output_index": JSON(index), "item": item]),
        ]
        finished.append(item)
        return events
    }

    private mutating func call(_ call: (name: String, arguments: JSON)) -> [String] {
        let id = "fc_\(number)_0"
        let arguments = call.arguments.encoded
        let item = function(call, id: id, status: "completed", arguments: arguments)
        let begun = function(call, id: id, status: "in_progress", arguments: "")
        let events = [
            event("response.output_item.added", ["output_index": JSON(index), "item": begun]),
            itemEvent("response.function_call_arguments.delta", id: id, ["delta": .string(arguments)]),
            itemEvent("response.function_call_arguments.done", id: id, ["arguments": .string(arguments)]),
            event("response.output_item.done", ["output_index": JSON(index), "item": item]),
        ]
        finished.append(item)
        index += 1
        return events
    }

    private mutating func complete(_ ending: Inference.Ending) -> String {
        let response = response(status: "completed", output: finished, usage: usage(ending))
        return event("response.completed", ["response": response.sorted])
    }

    mutating func whole(_ events: [Inference.Event]) -> (type: String, text: String) {
        var output: [JSON] = []
        if !events.thinking.isEmpty { output.append(reasoning(events.thinking)) }
        if events.toolCalls.isEmpty {
            output.append(message(status: "completed", content: [part(events.text)]))
        }
        for (index, call) in events.toolCalls.enumerated() {
            let id = "fc_\(responseID)_\(index)"
            output.append(function(call, id: id, status: "completed", arguments: call.arguments.encoded))
        }
        let reply = response(status: "completed", output: output, usage: events.ending.map(usage))
        return ("application/json", reply.encoded + "\n")
    }

    // MARK: Objects

    private func part(_ text: String) -> JSON {
        ["type": "output_text", "text": .string(text), "annotations": [], "logprobs": []]
    }

    private func message(status: String, content: [JSON]) -> JSON {
        [
            "id": .string(messageID), "type": "message", "status": .string(status), "role": "assistant",
            "content": .array(content),
        ]
    }

    private func function(
        _ call: (name: String, arguments: JSON), id: String, status: String, arguments: String
    ) -> JSON {
        [
            "id": .string(id), "type": "function_call", "status": .string(status),
            "call_id": .string(NativeFormat.identifier(of: call)), "name": .string(call.name),
            "arguments": .string(arguments),
        ]
    }

    private func reasoning(_ text: String) -> JSON {
        [
            "id": .string("rs_\(number)"), "type": "reasoning",
            "summary": [["type": "summary_text", "text": .string(text)]], "encrypted_content": .string(text),
        ]
    }

    private func usage(_ ending: Inference.Ending) -> JSON {
        [
            "input_tokens": JSON(ending.promptTokens), "output_tokens": JSON(ending.tokens),
            "total_tokens": JSON(ending.promptTokens + ending.tokens), "input_tokens_details": ["cached_tokens": 0],
            "output_tokens_details": ["reasoning_tokens": 0],
        ]
    }

    private func response(status: String, output: [JSON], usage: JSON?) -> JSON {
        let time = JSON(Catalogue.modifiedSeconds)
        return [
            "id": .string(responseID), "object": "response", "created_at": time,
            "completed_at": status == "completed" ? time : .null, "status": .string(status),
            "incomplete_details": .null,
            "model": .string(model), "previous_response_id": .null, "instructions": body.json["instructions"] ?? .null,
            "output": .array(output), "error": .null, "tools": body.json["tools"] ?? [], "tool_choice": "auto",
            "truncation": "disabled", "parallel_tool_calls": true,
            "text": ["format": body.json["text"]?["format"] ?? ["type": "text"]], "top_p": 1, "presence_penalty": 0,
            "frequency_penalty": 0, "top_logprobs": 0, "temperature": 1, "reasoning": .null, "usage": usage ?? .null,
            "max_output_tokens": body.json["max_output_tokens"] ?? .null, "max_tool_calls": .null, "store": false,
            "background": false, "service_tier": "default", "metadata": [:], "safety_identifier": .null,
            "prompt_cache_key": .null,
        ]
    }
}
