import FakeOllama
import Foundation

/// OpenAI's API.
enum OpenAI {
    static func error(_ error: ProviderError) -> JSON {
        let codes = [401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"]
        return [
            "error": [
                "message": .string(error.message), "type": .string(error.type), "param": .null,
                "code": codes[error.status].map { .string($0) } ?? .null,
            ]
        ]
    }

    /// The event of an error in mid-stream.
    static let failure =
        #"data: {"error":{"message":"The server had an error","type":"server_error","code":null}}"# + "\n\n"

    /// Checks the messages as OpenAI does, and reads the question.
    static func question(_ body: JSON) throws -> Question {
        func refuse(_ message: String) -> ProviderError { ProviderError(400, "invalid_request_error", message) }
        guard let messages = body["messages"]?.elements, !messages.isEmpty else {
            throw refuse("'messages' must not be empty")
        }
        var question = Question(model: body["model"]?.text ?? "")
        var pending: Set<String> = []
        for message in messages {
            let role = message["role"]?.text ?? ""
            guard pending.isEmpty || role == "tool" else {
                throw refuse(
                    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'"
                )
            }
            let content = message["content"]?.text
            question.words += content?.words ?? 0
            switch role {
            case "system", "developer": break
            case "user":
                let parts = message["content"]?.elements ?? []
                guard content != nil || !parts.isEmpty else { throw refuse("Invalid value for 'content'") }
                question.text = content ?? parts.compactMap { $0["text"]?.text }.joined(separator: " ")
                question.results = []
                question.pictures = try parts.filter { $0["type"] != "text" }.map { part in
                    guard part["type"] == "image_url", let url = part["image_url"]?["url"]?.text else {
                        throw refuse("Invalid value for 'content': unknown part")
                    }
                    return url.hasPrefix("data:") ? String(url.dropFirst(5).prefix { $0 != ";" }) : url
                }
            case "assistant":
                let calls = message["tool_calls"]?.elements ?? []
                guard content != nil || !calls.isEmpty else { throw refuse("Invalid value for 'content'") }
                for call in calls {
                    guard call["type"] == "function", let id = call["id"]?.text, !id.isEmpty,
                        let arguments = call["function"]?["arguments"]?.text,
                        (try? JSONParser.parse(arguments.utf8))?.members != nil
                    else { throw refuse("Invalid 'tool_calls'") }
                    pending.insert(id)
                }
            case "tool":
                guard pending.remove(message["tool_call_id"]?.text ?? "") != nil else {
                    throw refuse(
                        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'")
                }
                question.results.append(content ?? "")
            default: throw refuse("Invalid value: '\(role)'")
            }
        }
        guard pending.isEmpty else { throw refuse("'tool_call_ids' did not have response messages") }
        question.tools = (body["tools"]?.elements ?? []).compactMap { tool in
            tool["function"]?["name"]?.text.map { ($0, tool["function"]?["parameters"] ?? [:]) }
        }
        question.schema = body["response_format"]?["json_schema"]?["schema"]
        question.limit = body["max_completion_tokens"]?.int ?? body["max_tokens"]?.int
        question.thinks = question.model.contains("thinker") && body["reasoning_effort"] != "none"
        return question
    }

    static func usage(_ question: Question, _ answer: Answer) -> JSON {
        [
            "prompt_tokens": JSON(question.words), "completion_tokens": JSON(answer.tokens),
            "total_tokens": JSON(question.words + answer.tokens),
        ]
    }

    static func reason(_ answer: Answer) -> JSON {
        switch answer.reason {
        case .stop: "stop"
        case .length: "length"
        case .calls: "tool_calls"
        case .refused: "content_filter"
        }
    }
}

extension Service {
    var openAIModels: JSON {
        [
            "object": "list",
            "data": .array(
                options.models.map {
                    ["id": .string($0), "object": "model", "created": 1_767_225_600, "owned_by": "fake"]
                }),
        ]
    }

    func chatCompletions(_ body: JSON, _ fault: Fault.Kind?) async throws {
        try require(model: body["model"]?.text)
        let question = try OpenAI.question(body)
        let answer = Answer(question, tokens: options.tokens)
        guard body["stream"]?.flag == true else { return try await whole(question, answer) }
        let hasUsage = body["stream_options"]?["include_usage"]?.flag == true
        let hasProbabilities = body["logprobs"]?.flag == true
        let isPadded = body["stream_options"]?["include_obfuscation"]?.flag != false
        let stream = EventStream(exchange, fault, failure: OpenAI.failure)
        func chunk(_ choices: JSON, usage: JSON = .null) -> String {
            JSON.compact([
                "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_767_225_600,
                "model": .string(question.model), "service_tier": "default", "system_fingerprint": "fp_fake",
                "choices": choices, "usage": hasUsage ? usage : nil, "obfuscation": isPadded ? "x7Yq" : nil,
            ]).encoded
        }
        func put(_ delta: JSON, finish: JSON = .null) async throws {
            let text = hasProbabilities ? delta["content"]?.text ?? "" : ""
            let entry: JSON = [
                "token": .string(text), "logprob": .number("-0.5"), "bytes": .null, "top_logprobs": [],
            ]
            let probabilities: JSON = text.isEmpty ? .null : ["content": [entry], "refusal": .null]
            let choice: JSON = ["index": 0, "delta": delta, "logprobs": probabilities, "finish_reason": finish]
            try await stream.put(nil, chunk([choice]), isToken: true)
        }
        for (index, text) in answer.thinking.enumerated() {
            try await put(
                index == 0
                    ? ["role": "assistant", "reasoning_content": .string(text)] : ["reasoning_content": .string(text)])
        }
        try await put(["role": "assistant", "content": "", "refusal": .null])
        for text in answer.text { try await put(["content": .string(text)]) }
        for (index, call) in answer.calls.enumerated() {
            try await put([
                "tool_calls": [
                    [
                        "index": JSON(index), "id": .string(call.id), "type": "function",
                        "function": ["name": .string(call.name), "arguments": ""],
                    ]
                ]
            ])
            for piece in Answer.pieces(of: call.arguments) {
                try await put(["tool_calls": [["index": JSON(index), "function": ["arguments": .string(piece)]]]])
            }
        }
        try await put([:], finish: OpenAI.reason(answer))
        if hasUsage { try await stream.put(nil, chunk([], usage: OpenAI.usage(question, answer))) }
        try await stream.put(nil, "[DONE]")
        try await stream.end()
    }

    private func whole(_ question: Question, _ answer: Answer) async throws {
        let calls = answer.calls.map { call in
            [
                "id": .string(call.id), "type": "function",
                "function": ["name": .string(call.name), "arguments": .string(call.arguments)],
            ] as JSON
        }
        let message = JSON.compact([
            "role": "assistant", "content": .string(answer.text.joined()), "refusal": .null,
            "tool_calls": calls.isEmpty ? nil : .array(calls),
        ])
        let reply: JSON = [
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_767_225_600,
            "model": .string(question.model),
            "choices": [["index": 0, "message": message, "logprobs": .null, "finish_reason": OpenAI.reason(answer)]],
            "usage": OpenAI.usage(question, answer),
        ]
        try await exchange.send(reply.encoded)
    }

    func embeddings(_ body: JSON) async throws {
        try require(model: body["model"]?.text)
        let texts = body["input"]?.elements?.compactMap(\.text) ?? body["input"]?.text.map { [$0] } ?? []
        let embedding = HashedEmbedding(dimensions: body["dimensions"]?.int ?? 8)
        let isBase64 = body["encoding_format"] == "base64"
        let rows = texts.enumerated().map { index, text in
            let vector = embedding.vector(for: text)
            let bytes = vector.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
            let value: JSON =
                isBase64
                ? .string(Data(bytes).base64EncodedString()) : .array(vector.map { .number("\($0)") })
            return ["object": "embedding", "index": JSON(index), "embedding": value] as JSON
        }
        let words = texts.reduce(0) { $0 + $1.words }
        let reply: JSON = [
            // The order of the rows is their index, not their place.
            "object": "list", "data": .array(rows.reversed()), "model": body["model"] ?? .null,
            "usage": ["prompt_tokens": JSON(words), "total_tokens": JSON(words)],
        ]
        try await exchange.send(reply.encoded)
    }
}
