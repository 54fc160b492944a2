import GatewayAPI

/// Reads requests of Ollama's `/api/chat` and `/api/generate`.
enum OllamaRequest {
    private static let rawReason = "a model of another provider has a template of its own; leave it out"

    static func chat(_ body: Fields) throws(RequestFault) -> ClientRequest {
        var turns: [ChatTurn] = []
        var names = CallNames()
        for message in try body.objects("messages") { turns.append(try turn(message, &names)) }
        var request = ModelChatRequest(model: try body.requiredText("model"), turns: turns)
        request.tools = try body.functionTools()
        return try finish(request, body)
    }

    static func generate(_ body: Fields) throws(RequestFault) -> ClientRequest {
        try body.refuse("suffix", "template", "raw", because: rawReason)
        try body.refuse(
            "context", because: "only Ollama's own models go on from a context; send the conversation to /api/chat")
        var turns: [ChatTurn] = []
        if let system = try body.text("system"), !system.isEmpty { turns.append(.system(system)) }
        let (prompt, images) = (try body.text("prompt") ?? "", try body.texts("images"))
        if !prompt.isEmpty || !images.isEmpty { turns.append(user(prompt, images)) } else { turns = [] }
        return try finish(ModelChatRequest(model: try body.requiredText("model"), turns: turns), body)
    }

    private static func turn(_ message: Fields, _ names: inout CallNames) throws(RequestFault) -> ChatTurn {
        let text = try message.text("content") ?? ""
        switch try message.text("role") {
        case "system": return .system(text)
        case "user": return user(text, try message.texts("images"))
        case "assistant":
            var calls: [ChatCall] = []
            for call in try message.objects("tool_calls") {
                guard let function = try call.object("function") else { throw call.fault("function", "is required") }
                let arguments = function["arguments"]
                calls.append(
                    ChatCall(
                        id: try call.text("id") ?? "", name: try function.requiredText("name"),
                        written: arguments.map { $0.text ?? JSONSource($0).text } ?? ""))
            }
            names.add(calls)
            return .assistant(ChatReply(text: text, calls: calls, thinking: try message.text("thinking") ?? ""))
        case "tool":
            let id = try message.text("tool_call_id") ?? ""
            let name = try message.text("tool_name") ?? names[id]
            return .toolResult(id: id, name: name, text: text, isError: false)
        default: throw message.refusal(of: "role", expected: "system, user, assistant or tool")
        }
    }

    private static func user(_ text: String, _ images: [String]) -> ChatTurn {
        guard !images.isEmpty else { return .user(text) }
        // Some clients send data URLs.
        let pictures = images.map {
            $0.hasPrefix("data:") ? ChatImage(url: $0) ?? ChatImage(base64: $0) : ChatImage(base64: $0)
        }
        return .parts((text.isEmpty ? [] : [.text(text)]) + pictures.map(ChatPart.image))
    }

    /// Reads what both routes share.
    private static func finish(_ request: ModelChatRequest, _ body: Fields) throws(RequestFault) -> ClientRequest {
        var request = request
        if let format = body["format"], format.text != "" {
            if format.text == "json" {
                request.format = .json
            } else {
                guard let schema = try? body.schema("format") else {
                    throw body.fault("format", "expected \"json\" or a JSON Schema")
                }
                request.format = .schema(ChatSchema(schema))
            }
        }
        if let think = body["think"] {
            guard let thinks = think.flag ?? think.text.map({ $0 != "none" }) else {
                throw body.fault("think", "expected true, false or a word such as \"low\"")
            }
            (request.thinks, request.effort) = (thinks, thinks ? think.text : nil)
        }
        request.givesProbabilities = try body.flag("logprobs") ?? false
        request.otherProbabilities = try body.integer("top_logprobs")
        if let options = try body.object("options") { try read(options, &request) }
        var client = ClientRequest(request, streams: try body.flag("stream") ?? true)
        if request.turns.isEmpty { client.onlyLoads = body["keep_alive"]?.number == 0 ? "unload" : "load" }
        return client
    }

    private static func read(_ options: Fields, _ request: inout ModelChatRequest) throws(RequestFault) {
        // Less than 1 means no limit.
        request.maxTokens = try options.integer("num_predict").flatMap { $0 > 0 ? $0 : nil }
        request.contextTokens = try options.positive("num_ctx")
        request.temperature = try options.number("temperature")
        request.sampling.topP = try options.number("top_p")
        request.sampling.topK = try options.integer("top_k")
        request.sampling.minP = try options.number("min_p")
        request.sampling.seed = try options.integer("seed")
        request.sampling.frequencyPenalty = try options.number("frequency_penalty")
        request.sampling.presencePenalty = try options.number("presence_penalty")
        request.sampling.stop = try options.textOrTexts("stop")
    }
}
