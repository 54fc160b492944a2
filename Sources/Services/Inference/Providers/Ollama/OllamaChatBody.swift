import GatewayAPI
package import NIOCore

/// Writes the body of Ollama's `/api/chat`.
package enum OllamaChatBody {
    /// Encodes a request. Ollama refuses a prompt that is longer than the context, and never cuts it.
    package static func encode(_ request: ModelChatRequest) -> ByteBuffer { ByteBuffer(bytes: json(request)) }

    static func json(_ request: ModelChatRequest) -> [UInt8] {
        JSONWriter.object(reserving: 4096) { json in
            json.member("model", request.model)
            json.member("messages", array: { for turn in request.turns { write(turn, &$0) } })
            json.member("stream", true)
            // Versions of Ollama that do not know these two ignore them.
            json.member("truncate", false)
            json.member("shift", false)
            if !request.tools.isEmpty {
                json.member("tools", array: { for tool in request.tools { write(tool, &$0) } })
            }
            switch request.format {
            case nil: break
            case .json?: json.member("format", "json")
            case .schema(let schema)?: json.member("format", schema.source)
            }
            if let effort = request.effort, request.thinks != false {
                json.member("think", effort)
            } else {
                json.member("think", request.thinks)
            }
            if request.givesProbabilities {
                json.member("logprobs", true)
                json.member("top_logprobs", request.otherProbabilities)
            }
            if hasOptions(request) { json.member("options", object: { options(request, &$0) }) }
        }
    }

    private static func hasOptions(_ request: ModelChatRequest) -> Bool {
        request.maxTokens != nil || request.contextTokens != nil || request.temperature != nil
            || request.sampling != ChatSampling()
    }

    private static func options(_ request: ModelChatRequest, _ json: inout JSONWriter) {
        let sampling = request.sampling
        json.member("num_predict", request.maxTokens)
        json.member("num_ctx", request.contextTokens)
        json.member("temperature", request.temperature)
        json.member("top_p", sampling.topP)
        json.member("top_k", sampling.topK)
        json.member("min_p", sampling.minP)
        json.member("seed", sampling.seed)
        json.member("frequency_penalty", sampling.frequencyPenalty)
        json.member("presence_penalty", sampling.presencePenalty)
        if !sampling.stop.isEmpty { json.member("stop", array: { for text in sampling.stop { $0.element(text) } }) }
    }

    private static func write(_ turn: ChatTurn, _ messages: inout JSONWriter) {
        messages.object { json in
            switch turn {
            case .system(let text): write("system", text, &json)
            case .user(let text): write("user", text, &json)
            case .parts(let parts):
                write("user", parts.compactMap(\.text).joined(separator: "\n"), &json)
                let images = parts.compactMap(\.ollamaImage)
                if !images.isEmpty { json.member("images", array: { for image in images { $0.element(image) } }) }
            case .assistant(let reply):
                write("assistant", reply.text, &json)
                if let thinking = reply.continuation?["thinking"]?.text {
                    json.member("thinking", thinking)
                } else if !reply.thinking.isEmpty {
                    json.member("thinking", reply.thinking)
                }
                if !reply.calls.isEmpty {
                    json.member("tool_calls", array: { for call in reply.calls { write(call, &$0) } })
                }
            case .toolResult(let id, let name, let text, _):
                write("tool", text, &json)
                json.member("tool_name", name)
                if !id.isEmpty { json.member("tool_call_id", id) }
            }
        }
    }

    private static func write(_ role: String, _ text: String, _ json: inout JSONWriter) {
        json.member("role", role)
        json.member("content", text)
    }

    private static func write(_ call: ChatCall, _ json: inout JSONWriter) {
        json.object {
            if !call.id.isEmpty { $0.member("id", call.id) }
            $0.member(
                "function",
                object: {
                    $0.member("name", call.name)
                    $0.member("arguments", call.argumentsObject)
                })
        }
    }

    private static func write(_ tool: ChatTool, _ json: inout JSONWriter) {
        json.object {
            $0.member("type", "function")
            $0.member(
                "function",
                object: {
                    $0.member("name", tool.name)
                    if !tool.summary.isEmpty { $0.member("description", tool.summary) }
                    $0.member("parameters", tool.parameters)
                })
        }
    }
}

extension ChatPart {
    /// A picture as Ollama takes it: base64 without a type. Nil for text, and for an address, which Ollama does not fetch.
    fileprivate var ollamaImage: String? {
        guard case .image(let image) = self, case .data(_, let base64) = image.source else { return nil }
        return base64
    }
}
