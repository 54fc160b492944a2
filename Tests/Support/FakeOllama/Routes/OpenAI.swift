import Foundation

/// Formats that the OpenAI-compatible routes have in common.
enum OpenAI {
    /// An error in the format of these routes.
    static func error(_ error: APIError) -> JSON {
        let type =
            switch error.status {
            case 400: "invalid_request_error"
            case 404: "not_found_error"
            default: "api_error"
            }
        return ["error": ["message": .string(error.message), "type": .string(type), "param": .null, "code": .null]]
    }

    /// A server-sent event without a name.
    static func event(_ json: JSON) -> String { "data: \(json.encoded)\n\n" }

    static func usage(_ ending: Inference.Ending?) -> JSON {
        let prompt = ending?.promptTokens ?? 0
        let answer = ending?.tokens ?? 0
        return [
            "prompt_tokens": JSON(prompt), "completion_tokens": JSON(answer), "total_tokens": JSON(prompt + answer),
        ]
    }

    /// Tool calls with their arguments as text.
    static func calls(_ calls: [(name: String, arguments: JSON)]) -> JSON? {
        guard !calls.isEmpty else { return nil }
        return .array(
            calls.enumerated().map { index, call in
                [
                    "id": .string(NativeFormat.identifier(of: call)), "index": JSON(index), "type": "function",
                    "function": ["name": .string(call.name), "arguments": .string(call.arguments.encoded)],
                ]
            })
    }

    /// A chunk of a streamed chat.
    struct Chunk {
        let id: String
        let created: Int
        let model: String

        func chunk(choices: [JSON], usage: JSON? = nil) -> JSON {
            .compact([
                "id": .string(id), "object": "chat.completion.chunk", "created": JSON(created), "model": .string(model),
                "system_fingerprint": "fp_ollama", "choices": .array(choices), "usage": usage,
            ])
        }

        func delta(_ delta: JSON, finish: String?) -> JSON {
            chunk(choices: [["index": 0, "delta": delta, "finish_reason": finish.map { .string($0) } ?? .null]])
        }
    }
}

/// `/v1/chat/completions`.
struct ChatCompletionFormat: AnswerFormat {
    let chunk: OpenAI.Chunk
    let hasUsage: Bool
    private var isFirst = true
    private var hasCalled = false

    var kind: LineStream.Kind { .events }

    init(id: String, model: String, hasUsage: Bool) {
        chunk = .init(id: id, created: Catalogue.modifiedSeconds, model: model)
        self.hasUsage = hasUsage
    }

    private func reason(_ ending: Inference.Ending?, hasCalls: Bool) -> String {
        let reason = ending?.reason ?? "stop"
        return reason == "stop" && hasCalls ? "tool_calls" : reason
    }

    mutating func flushes(_ event: Inference.Event) -> [String] {
        var text: String? = ""
        var thinking: String?
        var calls: JSON?
        switch event {
        case .thinking(let thought): thinking = thought
        case .text(let piece): text = piece
        case .toolCall(let name, let arguments): calls = OpenAI.calls([(name, arguments)])
        case .done(let ending): return [end(ending)]
        }
        hasCalled = hasCalled || calls != nil
        let delta = JSON.compact([
            "role": isFirst ? "assistant" : nil, "content": text.map { .string($0) },
            "reasoning": thinking.map { .string($0) }, "tool_calls": calls,
        ])
        isFirst = false
        text = nil
        return [OpenAI.event(chunk.delta(delta, finish: nil))]
    }

    private func end(_ ending: Inference.Ending) -> String {
        var text = ""
        if isFirst { text += OpenAI.event(chunk.delta(["role": "assistant", "content": ""], finish: nil)) }
        text += OpenAI.event(chunk.delta([:], finish: reason(ending, hasCalls: hasCalled)))
        if hasUsage { text += OpenAI.event(chunk.chunk(choices: [], usage: OpenAI.usage(ending))) }
        return text + "data: [DONE]\n\n"
    }

    mutating func whole(_ events: [Inference.Event]) -> (type: String, text: String) {
        let calls = OpenAI.calls(events.toolCalls)
        let message = JSON.compact([
            "role": "assistant", "content": .string(events.text),
            "reasoning": events.thinking.isEmpty ? nil : .string(events.thinking), "tool_calls": calls,
        ])
        let reply: JSON = [
            "id": .string(chunk.id), "object": "chat.completion", "created": JSON(chunk.created),
            "model": .string(chunk.model), "system_fingerprint": "fp_ollama",
            "choices": [
                [
                    "index": 0, "message": message,
                    "finish_reason": .string(reason(events.ending, hasCalls: calls != nil)),
                ]
            ],
            "usage": OpenAI.usage(events.ending),
        ]
        return ("application/json", reply.encoded + "\n")
    }
}

/// `/v1/completions`.
struct CompletionFormat: AnswerFormat {
    let id: String
    let model: String
    let hasUsage: Bool

    var kind: LineStream.Kind { .events }

    private func choice(_ text: String, finish: String?) -> JSON {
        ["text": .string(text), "index": 0, "finish_reason": finish.map { .string($0) } ?? .null]
    }

    private func chunk(_ choices: [JSON], usage: JSON?) -> String {
        OpenAI.event(
            .compact([
                "id": .string(id), "object": "text_completion", "created": JSON(Catalogue.modifiedSeconds),
                "choices": .array(choices), "model": .string(model), "system_fingerprint": "fp_ollama", "usage": usage,
            ]))
    }

    func flushes(_ event: Inference.Event) -> [String] {
        let none = hasUsage ? OpenAI.usage(nil) : nil
        switch event {
        case .thinking, .toolCall: return [chunk([choice("", finish: nil)], usage: none)]
        case .text(let text): return [chunk([choice(text, finish: nil)], usage: none)]
        case .done(let ending):
            var text = chunk([choice("", finish: ending.reason)], usage: none)
            if hasUsage { text += chunk([], usage: OpenAI.usage(ending)) }
            return [text + "data: [DONE]\n\n"]
        }
    }

    func whole(_ events: [Inference.Event]) -> (type: String, text: String) {
        let reply: JSON = [
            "id": .string(id), "object": "text_completion", "created": JSON(Catalogue.modifiedSeconds),
            "model": .string(model), "system_fingerprint": "fp_ollama",
            "choices": [choice(events.text, finish: events.ending?.reason)], "usage": OpenAI.usage(events.ending),
        ]
        return ("application/json", reply.encoded + "\n")
    }
}
