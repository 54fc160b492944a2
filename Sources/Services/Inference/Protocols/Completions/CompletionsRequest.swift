import GatewayAPI

/// Reads requests of OpenAI's `/v1/chat/completions`.
enum CompletionsRequest {
    static func read(_ body: Fields) throws(RequestFault) -> ClientRequest {
        if let count = try body.integer("n"), count != 1 {
            throw body.fault("n", "models of this provider give one answer; send a request for each")
        }
        try body.refuse(
            "functions", "function_call", because: "is replaced by \"tools\" and \"tool_choice\"; use these")
        try body.refuse(
            "web_search_options", "audio", "logit_bias",
            because: "models of this provider do not have it; leave it out")
        if try body.texts("modalities").contains(where: { $0 != "text" }) {
            throw body.fault("modalities", "models of this provider answer in text; leave it out")
        }
        var turns: [ChatTurn] = []
        var names = CallNames()
        let messages = try body.objects("messages")
        guard !messages.isEmpty else { throw body.fault("messages", "must not be empty") }
        for message in messages { turns.append(try turn(message, &names)) }
        var request = ModelChatRequest(model: try body.requiredText("model"), turns: turns)
        request.tools = try body.functionTools()
        request.toolChoice = try choice(body)
        request.callsInParallel = try body.flag("parallel_tool_calls")
        if let format = try body.object("response_format") { request.format = try read(format) }
        request.maxTokens = try body.positive(body.first("max_completion_tokens", "max_tokens") ?? "max_tokens")
        request.temperature = try body.number("temperature")
        request.sampling.topP = try body.number("top_p")
        request.sampling.topK = try body.integer("top_k")
        request.sampling.minP = try body.number("min_p")
        request.sampling.seed = try body.integer("seed")
        request.sampling.frequencyPenalty = try body.number("frequency_penalty")
        request.sampling.presencePenalty = try body.number("presence_penalty")
        request.sampling.stop = try body.textOrTexts("stop")
        request.givesProbabilities = try body.flag("logprobs") ?? false
        request.otherProbabilities = try body.integer("top_logprobs")
        request.readEffort(try body.text("reasoning_effort"))
        var client = ClientRequest(request, streams: try body.flag("stream") ?? false)
        client.givesUsage = try body.object("stream_options")?.flag("include_usage") ?? false
        return client
    }

    private static func turn(_ message: Fields, _ names: inout CallNames) throws(RequestFault) -> ChatTurn {
        switch try message.text("role") {
        case "system", "developer": return .system(try message.plainText("content"))
        case "user":
            if let text = message["content"]?.text { return .user(text) }
            var parts: [ChatPart] = []
            for part in try message.objects("content") { parts.append(try Self.part(part)) }
            if parts.count == 1, let text = parts[0].text { return .user(text) }
            return .parts(parts)
        case "assistant":
            try message.refuse("function_call", because: "is replaced by \"tool_calls\"; use these")
            var calls: [ChatCall] = []
            for call in try message.objects("tool_calls") {
                guard try call.text("type") ?? "function" == "function", let function = try call.object("function")
                else {
                    throw call.refusal(of: "type", expected: "\"function\"")
                }
                calls.append(
                    ChatCall(
                        id: try call.text("id") ?? "", name: try function.requiredText("name"),
                        written: try function.text("arguments") ?? ""))
            }
            names.add(calls)
            let thinking = try message.text(message.first("reasoning_content", "reasoning") ?? "reasoning")
            return .assistant(
                ChatReply(text: try message.plainText("content"), calls: calls, thinking: thinking ?? ""))
        case "tool":
            let id = try message.requiredText("tool_call_id")
            return .toolResult(id: id, name: names[id], text: try message.plainText("content"), isError: false)
        default: throw message.refusal(of: "role", expected: "system, developer, user, assistant or tool")
        }
    }

    private static func part(_ part: Fields) throws(RequestFault) -> ChatPart {
        switch try part.text("type") {
        case "text": return .text(try part.text("text") ?? "")
        case "image_url":
            let (inner, name) = (try part.object("image_url"), "url")
            guard let inner else { throw part.fault("image_url", "is required") }
            guard let image = ChatImage(url: try inner.requiredText(name), detail: try inner.text("detail")) else {
                throw inner.fault(name, "expected an address, or data: with base64")
            }
            return .image(image)
        default: throw part.refusal(of: "type", expected: "text or image_url")
        }
    }

    private static func choice(_ body: Fields) throws(RequestFault) -> ChatToolChoice? {
        guard let choice = body["tool_choice"] else { return nil }
        switch choice.text {
        case "auto": return .auto
        case "none": return ChatToolChoice.none
        case "required": return .required
        case .some: throw body.refusal(of: "tool_choice", expected: "auto, none, required or a function")
        case nil:
            guard let name = choice["function"]?["name"]?.text, !name.isEmpty else {
                throw body.fault("tool_choice", "expected auto, none, required or a function with a name")
            }
            return .named(name)
        }
    }

    private static func read(_ format: Fields) throws(RequestFault) -> ChatFormat? {
        switch try format.text("type") {
        case "text": return nil
        case "json_object": return .json
        case "json_schema":
            guard let schema = try format.object("json_schema") else {
                throw format.fault("json_schema", "is required")
            }
            return try schema.answerSchema()
        default: throw format.refusal(of: "type", expected: "text, json_object or json_schema")
        }
    }
}

extension ModelChatRequest {
    /// Takes how much the model thinks, in OpenAI's words.
    mutating func readEffort(_ word: String?) {
        guard let word else { return }
        (thinks, effort) = (word != "none", word == "none" ? nil : word)
    }
}

extension Fields {
    /// A content of texts only: one text, or parts.
    func plainText(_ name: String) throws(RequestFault) -> String {
        if let text = self[name]?.text { return text }
        var texts: [String] = []
        for part in try objects(name) {
            switch try part.text("type") {
            case "text", "input_text", "output_text": texts.append(try part.text("text") ?? "")
            case "refusal": texts.append(try part.text("refusal") ?? "")
            default: throw part.refusal(of: "type", expected: "text")
            }
        }
        return texts.joined(separator: "\n")
    }
}
