import FakeOllama

/// Anthropic's API.
enum Anthropic {
    static func error(_ error: ProviderError) -> JSON {
        [
            "type": "error", "error": ["type": .string(error.type), "message": .string(error.message)],
            "request_id": "req_fake",
        ]
    }

    /// The event of an error in mid-stream.
    static let failure =
        "event: error\n" + #"data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
        + "\n\n"

    /// The signature of a thought.
    static func signature(_ text: String) -> String { "sig-\(text.utf8.count)" }

    private static func refuse(_ message: String) -> ProviderError {
        ProviderError(400, "invalid_request_error", message)
    }

    /// Checks the messages as Anthropic does, and reads the question.
    static func question(_ body: JSON) throws -> Question {
        guard let limit = body["max_tokens"]?.int, limit > 0 else { throw refuse("max_tokens: Field required") }
        guard body["temperature"] == nil else { throw refuse("temperature: Extra inputs are not permitted") }
        guard let messages = body["messages"]?.elements, messages.first?["role"] == "user" else {
            throw refuse("messages: first message must use the \"user\" role")
        }
        var question = Question(model: body["model"]?.text ?? "")
        question.limit = limit
        question.words = body["system"]?.text?.words ?? 0
        let thinking = body["thinking"]?["type"]?.text
        question.thinks = question.model.contains("thinker") && thinking != nil && thinking != "disabled"
        if let budget = body["thinking"]?["budget_tokens"]?.int, budget < 1024 || budget >= limit {
            throw refuse("max_tokens must be greater than thinking.budget_tokens")
        }
        var (pending, role): (Set<String>, String) = ([], "assistant")
        for message in messages {
            guard let next = message["role"]?.text, next != role else { throw refuse("messages: roles must alternate") }
            role = next
            let blocks =
                message["content"]?.text.map { [["type": "text", "text": .string($0)]] } ?? message["content"]?.elements
            guard let blocks, !blocks.isEmpty else { throw refuse("messages: content must not be empty") }
            if role == "user" { try answers(blocks, &pending) }
            for block in blocks { try read(block, role, &question) }
            if role == "assistant" {
                pending = Set(blocks.filter { $0["type"] == "tool_use" }.compactMap { $0["id"]?.text })
                let isFirst = blocks.first?["type"]?.text?.hasSuffix("thinking") == true
                if question.thinks, !pending.isEmpty, !isFirst {
                    throw refuse("Expected `thinking` or `redacted_thinking`, but found `tool_use`")
                }
            }
        }
        guard pending.isEmpty else { throw refuse("`tool_use` ids were found without `tool_result` blocks") }
        question.tools = (body["tools"]?.elements ?? []).compactMap { tool in
            tool["name"]?.text.map { ($0, tool["input_schema"] ?? [:]) }
        }
        guard !question.tools.contains(where: { $0.schema["type"] != "object" }) else {
            throw refuse("tools: input_schema.type: Field required")
        }
        question.schema = body["output_config"]?["format"]?["schema"]
        guard question.schema == nil || question.passages.isEmpty else {
            throw refuse("output_config.format: citations are not supported with structured outputs")
        }
        return question
    }

    /// Checks that the results of all calls come first and at once.
    private static func answers(_ blocks: [JSON], _ pending: inout Set<String>) throws {
        for block in blocks where block["type"] == "tool_result" {
            guard pending.remove(block["tool_use_id"]?.text ?? "") != nil else {
                throw refuse("unexpected `tool_use_id` found in `tool_result` blocks")
            }
        }
        guard pending.isEmpty else {
            throw refuse("`tool_use` ids were found without `tool_result` blocks immediately after")
        }
    }

    private static func read(_ block: JSON, _ role: String, _ question: inout Question) throws {
        switch (role, block["type"]?.text) {
        case (_, "text"):
            guard let text = block["text"]?.text, !text.isEmpty else {
                throw refuse("messages: text content blocks must be non-empty")
            }
            question.words += text.words
            if role == "user" { (question.text, question.results) = (text, []) }
        case ("user", "image"):
            let source = block["source"]
            guard let kind = source?["type"]?.text,
                let picture = source?[kind == "base64" ? "media_type" : "url"]?.text
            else { throw refuse("messages: image.source: Field required") }
            question.pictures.append(picture)
        case ("user", "search_result"):
            let parts = block["content"]?.elements?.compactMap { $0["text"]?.text } ?? []
            guard let source = block["source"]?.text, let title = block["title"]?.text, !title.isEmpty, !parts.isEmpty,
                parts.allSatisfy({ !$0.isEmpty })
            else { throw refuse("messages: search_result: Field required") }
            if block["citations"]?["enabled"]?.flag == true {
                question.passages.append((source, title, parts.joined()))
            }
        case ("user", "tool_result"): question.results.append(block["content"]?.text ?? "")
        case ("assistant", "tool_use"):
            guard block["input"]?.members != nil else { throw refuse("tool_use.input: Input should be an object") }
        case ("assistant", "thinking"):
            guard block["signature"]?.text == signature(block["thinking"]?.text ?? "") else {
                throw refuse("Invalid `signature` in `thinking` block")
            }
        case ("assistant", "redacted_thinking"):
            guard block["data"] == "secret" else { throw refuse("Invalid `data` in `redacted_thinking` block") }
        default: throw refuse("messages: unknown content block")
        }
    }

    static func reason(_ answer: Answer) -> JSON {
        switch answer.reason {
        case .stop: "end_turn"
        case .length: "max_tokens"
        case .calls: "tool_use"
        case .refused: "refusal"
        }
    }

    /// The blocks of an answer. One to a question with passages repeats each and cites it.
    static func blocks(_ answer: Answer, _ question: Question) -> [JSON] {
        var blocks: [JSON] = []
        if !answer.thinking.isEmpty {
            let text = answer.thinking.joined()
            blocks.append(["type": "thinking", "thinking": .string(text), "signature": .string(signature(text))])
            blocks.append(["type": "redacted_thinking", "data": "secret"])
        }
        if !question.passages.isEmpty, answer.calls.isEmpty {
            blocks.append(["type": "text", "text": "The passages say: "])
            for (index, passage) in question.passages.enumerated() {
                let citation: JSON = [
                    "type": "search_result_location", "cited_text": .string(passage.text),
                    "search_result_index": JSON(index), "source": .string(passage.source),
                    "title": .string(passage.title), "start_block_index": 0, "end_block_index": 1,
                ]
                blocks.append(["type": "text", "text": .string(passage.text), "citations": [citation]])
            }
            blocks.append(["type": "text", "text": "."])
        } else if !answer.text.isEmpty {
            blocks.append(["type": "text", "text": .string(answer.text.joined())])
        }
        for call in answer.calls {
            let input = (try? JSONParser.parse(call.arguments.utf8)) ?? [:]
            blocks.append(["type": "tool_use", "id": .string(call.id), "name": .string(call.name), "input": input])
        }
        return blocks
    }
}
