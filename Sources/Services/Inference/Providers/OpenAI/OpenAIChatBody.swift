import GatewayAPI

/// Writes the body of `/chat/completions`.
struct OpenAIChatBody {
    private let provider: String
    private let canThink: Bool
    /// Whether the server is OpenAI's own, which has members that others do not know.
    private let isOpenAI: Bool

    init(_ configuration: ProviderConfiguration) {
        let isOpenAI = [".openai.com", ".openai.azure.com"].contains { configuration.upstream.host.hasSuffix($0) }
        self.init(provider: configuration.name, canThink: configuration.canThink, isOpenAI: isOpenAI)
    }

    init(provider: String, canThink: Bool, isOpenAI: Bool = false) {
        (self.provider, self.canThink, self.isOpenAI) = (provider, canThink, isOpenAI)
    }

    /// Encodes a request.
    func encode(_ request: ModelChatRequest) -> [UInt8] {
        JSONWriter.object(reserving: 4096) { json in
            json.member("model", request.model)
            json.member("messages", array: { messages(&$0, request) })
            json.member("stream", true)
            json.member(
                "stream_options",
                object: {
                    $0.member("include_usage", true)
                    // Random padding would only cost time: the stream goes no further than this machine.
                    if isOpenAI { $0.member("include_obfuscation", false) }
                })
            if !request.tools.isEmpty {
                json.member("tools", array: { for tool in request.tools { write(tool, &$0) } })
                choice(request, &json)
            }
            if let format = request.format { write(format, &json) }
            // OpenAI's newer models refuse the older name, other servers may not know the newer one.
            json.member(isOpenAI ? "max_completion_tokens" : "max_tokens", request.maxTokens)
            json.member("temperature", request.temperature)
            write(request.sampling, &json)
            if request.givesProbabilities {
                json.member("logprobs", true)
                json.member("top_logprobs", request.otherProbabilities)
            }
            if canThink, request.thinks != nil || request.effort != nil {
                json.member("reasoning_effort", request.thinks == false ? "none" : request.effort ?? "medium")
            }
        }
    }

    private func messages(_ json: inout JSONWriter, _ request: ModelChatRequest) {
        let turns = PairedTurns.pair(request.turns)
        let question = turns.lastIndex(where: \.isQuestion) ?? 0
        for (index, turn) in turns.enumerated() {
            json.object { write(turn, isOpen: index > question, &$0) }
        }
    }

    /// - Parameter isOpen: Whether no question follows, so that thinking goes back.
    private func write(_ turn: ChatTurn, isOpen: Bool, _ json: inout JSONWriter) {
        switch turn {
        case .system(let text): write("system", text, &json)
        case .user(let text): write("user", text, &json)
        case .parts(let parts):
            json.member("role", "user")
            json.member("content", array: { for part in parts { $0.object { Self.write(part, &$0) } } })
        case .assistant(let reply):
            json.member("role", "assistant")
            if reply.text.isEmpty, !reply.calls.isEmpty {
                json.null("content")
            } else {
                json.member("content", reply.text)
            }
            let kept = reply.continuation?["provider"]?.text == provider ? reply.continuation : nil
            if let kept {
                for name in OpenAIChatStream.thinkingMembers { json.member(name, kept[name]) }
            } else if isOpen, !isOpenAI, !reply.thinking.isEmpty {
                json.member(OpenAIChatStream.thinkingMembers[0], reply.thinking)
            }
            if !reply.calls.isEmpty {
                json.member("tool_calls", array: { for call in reply.calls { write(call, &$0) } })
            }
        case .toolResult(let id, _, let text, _):
            json.member("role", "tool")
            json.member("tool_call_id", id)
            json.member("content", text)
        }
    }

    private func write(_ role: String, _ text: String, _ json: inout JSONWriter) {
        json.member("role", role)
        json.member("content", text)
    }

    private static func write(_ part: ChatPart, _ json: inout JSONWriter) {
        switch part {
        case .text(let text):
            json.member("type", "text")
            json.member("text", text)
        case .image(let image):
            json.member("type", "image_url")
            json.member(
                "image_url",
                object: {
                    $0.member("url", image.url)
                    $0.member("detail", image.detail)
                })
        }
    }

    private func write(_ call: ChatCall, _ json: inout JSONWriter) {
        json.object {
            $0.member("id", call.id)
            $0.member("type", "function")
            $0.member(
                "function",
                object: {
                    $0.member("name", call.name)
                    $0.member("arguments", call.argumentsObject.text)
                })
        }
    }

    private func write(_ tool: ChatTool, _ json: inout JSONWriter) {
        json.object {
            $0.member("type", "function")
            $0.member(
                "function",
                object: {
                    $0.member("name", tool.name)
                    if !tool.summary.isEmpty { $0.member("description", tool.summary) }
                    $0.member("parameters", tool.parameters)
                    $0.member("strict", tool.isStrict)
                })
        }
    }

    private func choice(_ request: ModelChatRequest, _ json: inout JSONWriter) {
        switch request.toolChoice {
        case nil: break
        case .auto?: json.member("tool_choice", "auto")
        case ChatToolChoice.none?: json.member("tool_choice", "none")
        case .required?: json.member("tool_choice", "required")
        case .named(let name)?:
            json.member(
                "tool_choice",
                object: {
                    $0.member("type", "function")
                    $0.member("function", object: { $0.member("name", name) })
                })
        }
        json.member("parallel_tool_calls", request.callsInParallel)
    }

    private func write(_ format: ChatFormat, _ json: inout JSONWriter) {
        json.member(
            "response_format",
            object: { json in
                guard case .schema(let schema) = format else { return json.member("type", "json_object") }
                json.member("type", "json_schema")
                json.member(
                    "json_schema",
                    object: {
                        $0.member("name", schema.name ?? "answer")
                        $0.member("description", schema.summary)
                        $0.member("schema", schema.source)
                        $0.member("strict", schema.isStrict)
                    })
            })
    }

    private func write(_ sampling: ChatSampling, _ json: inout JSONWriter) {
        json.member("top_p", sampling.topP)
        if !isOpenAI {
            json.member("top_k", sampling.topK)
            json.member("min_p", sampling.minP)
        }
        json.member("seed", sampling.seed)
        json.member("frequency_penalty", sampling.frequencyPenalty)
        json.member("presence_penalty", sampling.presencePenalty)
        if !sampling.stop.isEmpty { json.member("stop", array: { for text in sampling.stop { $0.element(text) } }) }
    }
}

extension ChatTurn {
    /// Whether the user says something; results of calls do not count.
    var isQuestion: Bool {
        switch self {
        case .user, .parts: true
        case .system, .assistant, .toolResult: false
        }
    }
}
