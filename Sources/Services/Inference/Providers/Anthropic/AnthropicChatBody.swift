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

    /// Encodes a request. The API has no temperature.
    func members(_ request: ModelChatRequest) -> [(name: String, value: JSONValue)] {
        let wanted = request.maxTokens ?? (request.thinks == true ? 2 : 1) * Self.defaultTokens
        let tokens = max(1, min(wanted, model.maxTokens ?? wanted))
        var members: [(name: String, value: JSONValue)] = [
            ("model", .string(request.model)), ("max_tokens", .integer(Int64(tokens))), ("stream", .bool(true)),
        ]
        var turns = request.turns[...]
        if case .system(let text)? = turns.first {
            turns.removeFirst()
            if !text.isEmpty { members.append(("system", .string(text))) }
        }
        members.append(("messages", .array(messages(Array(turns), passages(of: request)))))
        if !request.tools.isEmpty { members.append(("tools", .array(request.tools.map(tool)))) }
        if let format = request.format {
            members.append(
                (
                    "output_config",
                    .object(["format": .object(["type": .string("json_schema"), "schema": format])])
                ))
        }
        if let thinking = thinking(request.thinks, tokens) { members.append(("thinking", thinking)) }
        return members
    }

    private func thinking(_ thinks: Bool?, _ tokens: Int) -> JSONValue? {
        switch thinks {
        case nil: return nil
        case false?: return model.thinkingTypes.contains("disabled") ? .object(["type": .string("disabled")]) : nil
        case true?:
            if model.thinkingTypes.contains("adaptive") {
                return .object(["type": .string("adaptive"), "display": .string("summarized")])
            }
            // The budget must be less than the whole.
            guard model.thinkingTypes.contains("enabled"), tokens > Self.leastBudget else { return nil }
            return .object([
                "type": .string("enabled"), "budget_tokens": .integer(Int64(max(Self.leastBudget, tokens / 2))),
            ])
        }
    }

    /// The passages that go with a request, in the order in which citations count them. The API refuses empty ones.
    static func passages(of request: ModelChatRequest) -> [CitablePassage] {
        request.passages.filter { passage in passage.text.contains { !$0.isWhitespace } }
    }

    private func passages(of request: ModelChatRequest) -> [JSONValue] {
        Self.passages(of: request).map { passage in
            .object([
                "type": .string("search_result"), "source": .string("passage-\(passage.number)"),
                "title": .string(passage.title.isEmpty ? "Passage \(passage.number)" : passage.title),
                "content": .array(Self.text(passage.text)),
                // An answer by a schema has no citations.
                "citations": .object(["enabled": .bool(request.format == nil)]),
            ])
        }
    }

    /// Messages of the two roles in turn, as the API requires. The passages precede the last question.
    private func messages(_ turns: [ChatTurn], _ passages: [JSONValue]) -> [JSONValue] {
        var messages: [(role: String, blocks: [JSONValue])] = []
        let turns = PairedTurns.pair(turns)
        let question = turns.lastIndex { if case .user = $0 { true } else { false } }
        for (index, turn) in turns.enumerated() {
            var (role, blocks) = self.blocks(of: turn)
            if index == question { blocks = passages + blocks }
            guard !blocks.isEmpty else { continue }
            if messages.last?.role == role {
                messages[messages.count - 1].blocks += blocks
            } else {
                messages.append((role, blocks))
            }
        }
        return messages.map { .object(["role": .string($0.role), "content": .array($0.blocks)]) }
    }

    private func blocks(of turn: ChatTurn) -> (role: String, blocks: [JSONValue]) {
        switch turn {
        case .system(let text), .user(let text): return ("user", Self.text(text))
        case .toolResult(let id, _, let text, let isError):
            var members: [String: JSONValue] = ["type": .string("tool_result"), "tool_use_id": .string(id)]
            if !text.isEmpty { members["content"] = .string(text) }
            if isError { members["is_error"] = .bool(true) }
            return ("user", [.object(members)])
        case .assistant(let reply):
            let kept = reply.continuation?["provider"]?.text == provider ? reply.continuation?["content"] : nil
            guard let blocks = kept?.elements else {
                return ("assistant", Self.text(reply.text) + reply.calls.map(Self.call))
            }
            // Thinking has to go back unchanged and in its place; calls only as far as they have results.
            let ids = Set(reply.calls.map(\.id))
            return (
                "assistant",
                blocks.filter { $0["type"]?.text != "tool_use" || ids.contains($0["id"]?.text ?? "") }
            )
        }
    }

    /// The API refuses empty texts.
    private static func text(_ text: String) -> [JSONValue] {
        text.isEmpty ? [] : [.object(["type": .string("text"), "text": .string(text)])]
    }

    private static func call(_ call: ChatCall) -> JSONValue {
        .object([
            "type": .string("tool_use"), "id": .string(call.id), "name": .string(call.name),
            "input": call.argumentsObject,
        ])
    }

    private func tool(_ tool: ChatTool) -> JSONValue {
        var schema = tool.parameters
        if case .object(var members) = schema, members["type"] == nil {
            members["type"] = .string("object")
            schema = .object(members)
        }
        return .object([
            "name": .string(tool.name), "description": .string(tool.summary), "input_schema": schema,
        ])
    }
}
