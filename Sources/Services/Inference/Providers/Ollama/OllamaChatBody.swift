import GatewayAPI
package import NIOCore

/// Writes the body of Ollama's `/api/chat`.
package enum OllamaChatBody {
    /// Encodes a request. Ollama refuses a prompt that is longer than the context, and never cuts it.
    package static func encode(_ request: ModelChatRequest) -> ByteBuffer {
        var members: [(name: String, value: JSONValue)] = [
            ("model", .string(request.model)), ("messages", .array(request.turns.map(message))),
            ("stream", .bool(true)),
            // Versions of Ollama that do not know these two ignore them.
            ("truncate", .bool(false)), ("shift", .bool(false)),
        ]
        if !request.tools.isEmpty { members.append(("tools", .array(request.tools.map(tool)))) }
        if let format = request.format { members.append(("format", format)) }
        if let thinks = request.thinks { members.append(("think", .bool(thinks))) }
        var options: [String: JSONValue] = [:]
        if let tokens = request.maxTokens { options["num_predict"] = .integer(Int64(tokens)) }
        if let tokens = request.contextTokens { options["num_ctx"] = .integer(Int64(tokens)) }
        if let temperature = request.temperature { options["temperature"] = .number(temperature) }
        if !options.isEmpty { members.append(("options", .object(options))) }
        return ByteBuffer(bytes: JSONBytes.object(members))
    }

    private static func message(_ turn: ChatTurn) -> JSONValue {
        switch turn {
        case .system(let text): return message("system", text)
        case .user(let text): return message("user", text)
        case .assistant(let reply):
            var more: [String: JSONValue] = [:]
            if !reply.calls.isEmpty { more["tool_calls"] = .array(reply.calls.map(call)) }
            if let thinking = reply.continuation?["thinking"], thinking.text != nil { more["thinking"] = thinking }
            return message("assistant", reply.text, more)
        case .toolResult(let id, let name, let text, _):
            var more: [String: JSONValue] = ["tool_name": .string(name)]
            if !id.isEmpty { more["tool_call_id"] = .string(id) }
            return message("tool", text, more)
        }
    }

    private static func message(_ role: String, _ text: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(more.merging(["role": .string(role), "content": .string(text)]) { $1 })
    }

    private static func call(_ call: ChatCall) -> JSONValue {
        var members: [String: JSONValue] = [
            "function": .object(["name": .string(call.name), "arguments": call.argumentsObject])
        ]
        if !call.id.isEmpty { members["id"] = .string(call.id) }
        return .object(members)
    }

    private static func tool(_ tool: ChatTool) -> JSONValue {
        .object([
            "type": .string("function"),
            "function": .object([
                "name": .string(tool.name), "description": .string(tool.summary), "parameters": tool.parameters,
            ]),
        ])
    }
}
