import GatewayAPI

/// Writes the body of `/chat/completions`.
struct OpenAIChatBody {
    private let provider: String
    private let canThink: Bool
    /// Whether the server is OpenAI's own, which has members that others do not know.
    private let isOpenAI: Bool

    init(_ configuration: ProviderConfiguration) {
        provider = configuration.name
        canThink = configuration.canThink
        isOpenAI = [".openai.com", ".openai.azure.com"].contains { configuration.upstream.host.hasSuffix($0) }
    }

    /// Encodes a request.
    func members(_ request: ModelChatRequest) -> [(name: String, value: JSONValue)] {
        var streamOptions: [String: JSONValue] = ["include_usage": .bool(true)]
        // Random padding would only cost time: the stream goes no further than this machine.
        if isOpenAI { streamOptions["include_obfuscation"] = .bool(false) }
        var members: [(name: String, value: JSONValue)] = [
            ("model", .string(request.model)),
            ("messages", .array(PairedTurns.pair(request.turns).map(message))),
            ("stream", .bool(true)), ("stream_options", .object(streamOptions)),
        ]
        if !request.tools.isEmpty { members.append(("tools", .array(request.tools.map(tool)))) }
        if let format = request.format {
            members.append(
                (
                    "response_format",
                    .object([
                        "type": .string("json_schema"),
                        "json_schema": .object(["name": .string("answer"), "schema": format]),
                    ])
                ))
        }
        if let tokens = request.maxTokens {
            // OpenAI's newer models refuse the older name, other servers may not know the newer one.
            members.append((isOpenAI ? "max_completion_tokens" : "max_tokens", .integer(Int64(tokens))))
        }
        if let temperature = request.temperature { members.append(("temperature", .number(temperature))) }
        if canThink, let thinks = request.thinks {
            members.append(("reasoning_effort", .string(thinks ? "medium" : "none")))
        }
        return members
    }

    private func message(_ turn: ChatTurn) -> JSONValue {
        switch turn {
        case .system(let text): return message("system", text)
        case .user(let text): return message("user", text)
        case .assistant(let reply):
            var members: [String: JSONValue] = ["role": .string("assistant"), "content": .string(reply.text)]
            if !reply.calls.isEmpty {
                members["tool_calls"] = .array(reply.calls.map(call))
                if reply.text.isEmpty { members["content"] = .null }
            }
            if reply.continuation?["provider"]?.text == provider {
                for name in OpenAIChatStream.thinkingMembers {
                    if let thinking = reply.continuation?[name] { members[name] = thinking }
                }
            }
            return .object(members)
        case .toolResult(let id, _, let text, _):
            return .object(["role": .string("tool"), "tool_call_id": .string(id), "content": .string(text)])
        }
    }

    private func message(_ role: String, _ text: String) -> JSONValue {
        .object(["role": .string(role), "content": .string(text)])
    }

    private func call(_ call: ChatCall) -> JSONValue {
        .object([
            "id": .string(call.id), "type": .string("function"),
            "function": .object([
                "name": .string(call.name),
                "arguments": .string(String(decoding: call.argumentsObject.json, as: UTF8.self)),
            ]),
        ])
    }

    private func tool(_ tool: ChatTool) -> JSONValue {
        .object([
            "type": .string("function"),
            "function": .object([
                "name": .string(tool.name), "description": .string(tool.summary), "parameters": tool.parameters,
            ]),
        ])
    }
}
