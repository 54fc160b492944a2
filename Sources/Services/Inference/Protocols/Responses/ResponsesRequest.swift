import GatewayAPI

/// Reads requests of OpenAI's `/v1/responses`.
enum ResponsesRequest {
    static func read(_ body: Fields) throws(RequestFault) -> ClientRequest {
        try body.refuse(
            "previous_response_id", "conversation",
            because: "the gateway keeps no answers of other providers; send the conversation in \"input\"")
        try body.refuse("background", because: "an answer comes with its request; leave it out")
        try body.refuse("prompt", because: "only OpenAI's own service keeps prompts; send its text")
        var turns: [ChatTurn] = []
        if let text = try body.text("instructions"), !text.isEmpty { turns.append(.system(text)) }
        if let text = body["input"]?.text {
            turns.append(.user(text))
        } else {
            turns += try conversation(try body.objects("input"))
        }
        guard turns.contains(where: { if case .system = $0 { false } else { true } }) else {
            throw body.fault("input", "must not be empty")
        }
        var request = ModelChatRequest(model: try body.requiredText("model"), turns: turns)
        try readTools(body, &request)
        if let format = try body.object("text")?.object("format") { request.format = try read(format) }
        request.maxTokens = try body.positive("max_output_tokens")
        request.temperature = try body.number("temperature")
        request.sampling.topP = try body.number("top_p")
        request.otherProbabilities = try body.integer("top_logprobs")
        request.givesProbabilities = try body.texts("include").contains("message.output_text.logprobs")
        request.readEffort(try body.object("reasoning")?.text("effort"))
        return ClientRequest(request, streams: try body.flag("stream") ?? false)
    }

    private static func conversation(_ items: [Fields]) throws(RequestFault) -> [ChatTurn] {
        var turns: [ChatTurn] = []
        var names = CallNames()
        /// An answer is several items here: its thinking, its text and its calls.
        var open: ChatReply?
        /// Pictures of results, which follow all results.
        var pictures: [ChatPart] = []
        func close(beforeResult: Bool = false) {
            if let reply = open { turns.append(.assistant(reply)) }
            open = nil
            guard !beforeResult, !pictures.isEmpty else { return }
            turns.append(.parts(pictures))
            pictures = []
        }
        for item in items {
            switch try item.text("type") ?? "message" {
            case "message":
                guard try item.text("role") != "assistant" else {
                    if open == nil || open?.text.isEmpty == false || open?.calls.isEmpty == false { close() }
                    open = open ?? ChatReply(text: "")
                    open?.text = try item.plainText("content")
                    continue
                }
                close()
                turns.append(try said(item))
            case "reasoning":
                if open == nil || open?.text.isEmpty == false || open?.calls.isEmpty == false { close() }
                var reply = open ?? ChatReply(text: "")
                for part in try item.objects("summary") + item.objects("content") {
                    reply.thinking += try part.text("text") ?? ""
                }
                open = reply
            case "function_call":
                let call = ChatCall(
                    id: try item.requiredText("call_id"), name: try item.requiredText("name"),
                    written: try item.text("arguments") ?? "")
                names.add([call])
                if open == nil { close() }
                var reply = open ?? ChatReply(text: "")
                reply.calls.append(call)
                open = reply
            case "function_call_output":
                close(beforeResult: true)
                let id = try item.requiredText("call_id")
                let parts = try self.parts(item, "output")
                pictures += parts.filter { $0.text == nil }
                let text = parts.compactMap(\.text).joined(separator: "\n")
                turns.append(.toolResult(id: id, name: names[id], text: text, isError: false))
            default:
                throw item.refusal(of: "type", expected: "message, reasoning, function_call or function_call_output")
            }
        }
        close()
        return turns
    }

    private static func said(_ item: Fields) throws(RequestFault) -> ChatTurn {
        switch try item.text("role") {
        case "system", "developer": return .system(try item.plainText("content"))
        case "user":
            let parts = try self.parts(item, "content")
            if parts.count == 1, let text = parts[0].text { return .user(text) }
            return .parts(parts)
        default: throw item.refusal(of: "role", expected: "system, developer, user or assistant")
        }
    }

    /// A text, or parts of texts and pictures.
    private static func parts(_ item: Fields, _ name: String) throws(RequestFault) -> [ChatPart] {
        if let text = item[name]?.text { return [.text(text)] }
        var parts: [ChatPart] = []
        for part in try item.objects(name) {
            switch try part.text("type") {
            case "input_text", "output_text": parts.append(.text(try part.text("text") ?? ""))
            case "input_image":
                try part.refuse("file_id", because: "only OpenAI's own service keeps files; send the picture")
                guard let image = ChatImage(url: try part.requiredText("image_url"), detail: try part.text("detail"))
                else { throw part.fault("image_url", "expected an address, or data: with base64") }
                parts.append(.image(image))
            default: throw part.refusal(of: "type", expected: "input_text or input_image")
            }
        }
        return parts
    }

    private static func readTools(_ body: Fields, _ request: inout ModelChatRequest) throws(RequestFault) {
        for tool in try body.objects("tools") {
            let type = try tool.text("type") ?? ""
            // Programs offer it without need; a model without it answers from what it knows.
            if type.hasPrefix("web_search") { continue }
            guard type == "function" else {
                throw tool.fault("type", "tools that OpenAI's service runs are not at this provider; leave it out")
            }
            request.tools.append(try tool.tool(schema: "parameters"))
        }
        request.callsInParallel = try body.flag("parallel_tool_calls")
        guard let choice = body["tool_choice"] else { return }
        switch choice.text {
        case "auto": request.toolChoice = .auto
        case "none": request.toolChoice = ChatToolChoice.none
        case "required": request.toolChoice = .required
        default:
            guard choice["type"]?.text == "function", let name = choice["name"]?.text, !name.isEmpty else {
                throw body.fault("tool_choice", "expected auto, none, required or a function with a name")
            }
            request.toolChoice = .named(name)
        }
    }

    private static func read(_ format: Fields) throws(RequestFault) -> ChatFormat? {
        switch try format.text("type") {
        case "text": return nil
        case "json_object": return .json
        case "json_schema": return try format.answerSchema()
        default: throw format.refusal(of: "type", expected: "text, json_object or json_schema")
        }
    }
}
