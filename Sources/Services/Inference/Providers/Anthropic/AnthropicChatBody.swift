import GatewayAPI

/// Writes the body of Anthropic's `/v1/messages`.
struct AnthropicChatBody {
    /// The default of `max_tokens`, which the API requires; twice as much when the model thinks.
    private static let defaultTokens = 8192
    /// The least of `budget_tokens`.
    private static let leastBudget = 1024

    private let provider: String
    private let model: AnthropicModel

    /// - Parameter model: What is known of the model.
    init(provider: String, model: AnthropicModel) {
        self.provider = provider
        self.model = model
    }

    /// Encodes a request. The API has no temperature, and of the choices of tokens only the texts that end an answer.
    func encode(_ request: ModelChatRequest) -> [UInt8] {
        let wanted = request.maxTokens ?? (request.thinks == true ? 2 : 1) * Self.defaultTokens
        let tokens = max(1, min(wanted, model.maxTokens ?? wanted))
        return JSONWriter.object(reserving: 4096) { json in
            json.member("model", request.model)
            json.member("max_tokens", tokens)
            json.member("stream", true)
            var turns = request.turns[...]
            var instructions: [String] = []
            while case .system(let text)? = turns.first {
                turns.removeFirst()
                if !text.isEmpty { instructions.append(text) }
            }
            if !instructions.isEmpty { json.member("system", instructions.joined(separator: "\n\n")) }
            let paired = PairedTurns.pair(Array(turns))
            json.member("messages", array: { messages(paired, request, &$0) })
            if !request.tools.isEmpty {
                json.member("tools", array: { for tool in request.tools { write(tool, &$0) } })
                choice(request, &json)
            }
            if !request.sampling.stop.isEmpty {
                json.member("stop_sequences", array: { for text in request.sampling.stop { $0.element(text) } })
            }
            let schema: JSONSource? = if case .schema(let schema)? = request.format { schema.source } else { nil }
            let effort = model.thinkingTypes.contains("adaptive") && request.thinks != false ? request.effort : nil
            if schema != nil || effort != nil {
                json.member(
                    "output_config",
                    object: { json in
                        json.member("effort", effort)
                        guard let schema else { return }
                        json.member(
                            "format",
                            object: {
                                $0.member("type", "json_schema")
                                $0.member("schema", schema)
                            })
                    })
            }
            thinking(request.thinks, tokens, paired, &json)
        }
    }

    private func thinking(_ thinks: Bool?, _ tokens: Int, _ turns: [ChatTurn], _ json: inout JSONWriter) {
        switch thinks {
        case nil: break
        case false?:
            guard model.thinkingTypes.contains("disabled") else { return }
            json.member("thinking", object: { $0.member("type", "disabled") })
        case true?:
            // Within a loop of calls the API wants its signed thinking back, which other protocols do not carry.
            guard !isLoopUnsigned(turns) else { return }
            if model.thinkingTypes.contains("adaptive") {
                return json.member(
                    "thinking",
                    object: {
                        $0.member("type", "adaptive")
                        $0.member("display", "summarized")
                    })
            }
            // The budget must be less than the whole.
            guard model.thinkingTypes.contains("enabled"), tokens > Self.leastBudget else { return }
            json.member(
                "thinking",
                object: {
                    $0.member("type", "enabled")
                    $0.member("budget_tokens", max(Self.leastBudget, tokens / 2))
                })
        }
    }

    /// Whether calls follow the last question whose thinking is not known with its signatures.
    private func isLoopUnsigned(_ turns: [ChatTurn]) -> Bool {
        let question = turns.lastIndex(where: \.isQuestion) ?? turns.startIndex
        return turns[question...].contains { turn in
            guard case .assistant(let reply) = turn, !reply.calls.isEmpty else { return false }
            return kept(reply) == nil
        }
    }

    private func kept(_ reply: ChatReply) -> [JSONValue]? {
        guard reply.continuation?["provider"]?.text == provider else { return nil }
        return reply.continuation?["content"]?.elements
    }

    /// The passages that go with a request, in the order in which citations count them. The API refuses empty ones.
    static func passages(of request: ModelChatRequest) -> [CitablePassage] {
        request.passages.filter { passage in passage.text.contains { !$0.isWhitespace } }
    }

    private func passages(of request: ModelChatRequest, _ json: inout JSONWriter) {
        for passage in Self.passages(of: request) {
            json.object {
                $0.member("type", "search_result")
                $0.member("source", "passage-\(passage.number)")
                $0.member("title", passage.title.isEmpty ? "Passage \(passage.number)" : passage.title)
                $0.member("content", array: { Self.text(passage.text, &$0) })
                // An answer by a schema has no citations.
                $0.member("citations", object: { $0.member("enabled", request.format == nil) })
            }
        }
    }

    /// Messages of the two roles in turn, as the API requires. The passages precede the last question.
    private func messages(_ turns: [ChatTurn], _ request: ModelChatRequest, _ json: inout JSONWriter) {
        let hasPassages = !Self.passages(of: request).isEmpty
        let last = turns.lastIndex(where: \.isQuestion)
        let turns = turns.indices.filter { hasBlocks(turns[$0]) || (hasPassages && $0 == last) }.map { turns[$0] }
        let question = turns.lastIndex(where: \.isQuestion)
        var next = turns.startIndex
        while next < turns.endIndex {
            let isAnswer = turns[next].isAnswer
            let end = turns[next...].firstIndex { $0.isAnswer != isAnswer } ?? turns.endIndex
            json.object {
                $0.member("role", isAnswer ? "assistant" : "user")
                $0.member(
                    "content",
                    array: {
                        for index in next..<end {
                            if index == question { passages(of: request, &$0) }
                            write(turns[index], &$0)
                        }
                    })
            }
            next = end
        }
    }

    private func hasBlocks(_ turn: ChatTurn) -> Bool {
        switch turn {
        case .system(let text), .user(let text): !text.isEmpty
        case .parts(let parts): parts.contains { $0.text != "" }
        case .toolResult: true
        case .assistant(let reply): !reply.text.isEmpty || !reply.calls.isEmpty || kept(reply)?.isEmpty == false
        }
    }

    private func write(_ turn: ChatTurn, _ json: inout JSONWriter) {
        switch turn {
        case .system(let text), .user(let text): Self.text(text, &json)
        case .parts(let parts):
            for part in parts {
                switch part {
                case .text(let text): Self.text(text, &json)
                case .image(let image): Self.write(image, &json)
                }
            }
        case .toolResult(let id, _, let text, let isError):
            json.object {
                $0.member("type", "tool_result")
                $0.member("tool_use_id", id)
                if !text.isEmpty { $0.member("content", text) }
                if isError { $0.member("is_error", true) }
            }
        case .assistant(let reply):
            guard let blocks = kept(reply) else {
                Self.text(reply.text, &json)
                for call in reply.calls { Self.write(call, &json) }
                return
            }
            // Thinking has to go back unchanged and in its place; calls only as far as they have results.
            let ids = Set(reply.calls.map(\.id))
            for block in blocks where block["type"]?.text != "tool_use" || ids.contains(block["id"]?.text ?? "") {
                json.element(block)
            }
        }
    }

    /// The API refuses empty texts.
    private static func text(_ text: String, _ json: inout JSONWriter) {
        guard !text.isEmpty else { return }
        json.object {
            $0.member("type", "text")
            $0.member("text", text)
        }
    }

    private static func write(_ image: ChatImage, _ json: inout JSONWriter) {
        json.object {
            $0.member("type", "image")
            $0.member(
                "source",
                object: {
                    switch image.source {
                    case .data(let type, let base64):
                        $0.member("type", "base64")
                        $0.member("media_type", type)
                        $0.member("data", base64)
                    case .address(let address):
                        $0.member("type", "url")
                        $0.member("url", address)
                    }
                })
        }
    }

    private static func write(_ call: ChatCall, _ json: inout JSONWriter) {
        json.object {
            $0.member("type", "tool_use")
            $0.member("id", call.id)
            $0.member("name", call.name)
            $0.member("input", call.argumentsObject)
        }
    }

    private func write(_ tool: ChatTool, _ json: inout JSONWriter) {
        json.object {
            $0.member("name", tool.name)
            if !tool.summary.isEmpty { $0.member("description", tool.summary) }
            $0.member("input_schema", tool.parameters.leading(with: "type", .string("object")))
            if tool.isStrict == true { $0.member("strict", true) }
        }
    }

    private func choice(_ request: ModelChatRequest, _ json: inout JSONWriter) {
        guard request.toolChoice != nil || request.callsInParallel == false else { return }
        json.member(
            "tool_choice",
            object: {
                switch request.toolChoice {
                case nil, .auto?: $0.member("type", "auto")
                case ChatToolChoice.none?: $0.member("type", "none")
                case .required?: $0.member("type", "any")
                case .named(let name)?:
                    $0.member("type", "tool")
                    $0.member("name", name)
                }
                if request.callsInParallel == false, request.toolChoice != ChatToolChoice.none {
                    $0.member("disable_parallel_tool_use", true)
                }
            })
    }
}

extension ChatTurn {
    fileprivate var isAnswer: Bool { if case .assistant = self { true } else { false } }
}
