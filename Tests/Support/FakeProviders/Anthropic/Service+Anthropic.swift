import FakeOllama
import NIOHTTP1

extension Service {
    func anthropicModel(_ name: String) -> JSON {
        let thinks = name.contains("thinker")
        func support(_ flag: Bool) -> JSON { ["supported": .bool(flag)] }
        return [
            "type": "model", "id": .string(name), "display_name": .string(name),
            "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active", "max_input_tokens": 200_000,
            "max_tokens": 64_000,
            "capabilities": [
                "citations": support(true),
                "thinking": [
                    "supported": .bool(thinks),
                    "types": [
                        "adaptive": support(thinks), "enabled": support(false), "disabled": support(true),
                        "between_tools": support(false),
                    ],
                ],
            ],
        ]
    }

    var anthropicModels: JSON {
        [
            "data": .array(options.models.map(anthropicModel)), "has_more": false,
            "first_id": options.models.first.map { .string($0) } ?? .null,
            "last_id": options.models.last.map { .string($0) } ?? .null,
        ]
    }

    func messages(_ body: JSON, _ fault: Fault.Kind?) async throws {
        guard exchange.head.headers.contains(name: "anthropic-version") else {
            throw ProviderError(400, "invalid_request_error", "anthropic-version: header is required")
        }
        try require(model: body["model"]?.text)
        let question = try Anthropic.question(body)
        let answer = Answer(question, tokens: options.tokens)
        // Part of the prompt comes from the cache, so that the counts have to be added.
        let cached = question.words / 2
        func usage(_ output: Int) -> JSON {
            [
                "input_tokens": JSON(question.words - cached), "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": JSON(cached), "output_tokens": JSON(output),
            ]
        }
        func message(_ content: [JSON], _ reason: JSON, _ output: Int) -> JSON {
            [
                "id": "msg_1", "type": "message", "role": "assistant", "model": .string(question.model),
                "content": .array(content), "stop_reason": reason, "stop_sequence": .null, "usage": usage(output),
            ]
        }
        let blocks = Anthropic.blocks(answer, question)
        guard body["stream"]?.flag == true else {
            return try await exchange.send(message(blocks, Anthropic.reason(answer), answer.tokens).encoded)
        }
        let stream = EventStream(exchange, fault, failure: Anthropic.failure)
        func put(_ name: String, _ members: [JSON.Member], isToken: Bool = false) async throws {
            let type = JSON.Member(key: "type", value: .string(name))
            try await stream.put(name, JSON.object([type] + members).encoded, isToken: isToken)
        }
        try await put("message_start", [.init(key: "message", value: message([], .null, 1))])
        try await put("ping", [])
        for (index, block) in blocks.enumerated() {
            let place = JSON.Member(key: "index", value: JSON(index))
            let (start, deltas) = Self.pieces(of: block, answer)
            try await put("content_block_start", [place, .init(key: "content_block", value: start)])
            for delta in deltas {
                try await put("content_block_delta", [place, .init(key: "delta", value: delta)], isToken: true)
            }
            try await put("content_block_stop", [place])
        }
        try await put(
            "message_delta",
            [
                .init(key: "delta", value: ["stop_reason": Anthropic.reason(answer), "stop_sequence": .null]),
                .init(key: "usage", value: ["output_tokens": JSON(answer.tokens)]),
            ])
        try await put("message_stop", [])
        try await stream.end()
    }

    /// The beginning of a block and its pieces.
    private static func pieces(of block: JSON, _ answer: Answer) -> (start: JSON, deltas: [JSON]) {
        switch block["type"]?.text {
        case "thinking":
            let signature = block["signature"] ?? .null
            return (
                ["type": "thinking", "thinking": "", "signature": ""],
                answer.thinking.map { ["type": "thinking_delta", "thinking": .string($0)] }
                    + [["type": "signature_delta", "signature": signature]]
            )
        case "text":
            let citations = block["citations"]?.elements ?? []
            let texts =
                citations.isEmpty && answer.text.joined() == block["text"]?.text
                ? answer.text : [block["text"]?.text ?? ""]
            return (
                ["type": "text", "text": ""],
                texts.map { ["type": "text_delta", "text": .string($0)] }
                    + citations.map { ["type": "citations_delta", "citation": $0] }
            )
        case "tool_use":
            let input = block["input"]?.encoded ?? "{}"
            let start: JSON = [
                "type": "tool_use", "id": block["id"] ?? .null, "name": block["name"] ?? .null, "input": [:],
            ]
            return (
                start,
                ([""] + Answer.pieces(of: input)).map { ["type": "input_json_delta", "partial_json": .string($0)] }
            )
        default: return (block, [])
        }
    }
}
