import GatewayAPI

/// Reads requests of Anthropic's `/v1/messages`.
enum MessagesRequest {
    private static let own = "only Anthropic's own service has it; leave it out"

    static func read(_ body: Fields) throws(RequestFault) -> ClientRequest {
        try body.refuse("mcp_servers", "container", because: own)
        var turns: [ChatTurn] = []
        let system = try body.plainText("system")
        if !system.isEmpty { turns.append(.system(system)) }
        var names = CallNames()
        let messages = try body.objects("messages")
        guard !messages.isEmpty else { throw body.fault("messages", "must not be empty") }
        for message in messages {
            switch try message.text("role") {
            case "user": turns += try said(message, names)
            case "assistant":
                let reply = try answered(message)
                names.add(reply.calls)
                turns.append(.assistant(reply))
            case "system": turns.append(.system(try message.plainText("content")))
            default: throw message.refusal(of: "role", expected: "user or assistant")
            }
        }
        var request = ModelChatRequest(model: try body.requiredText("model"), turns: turns)
        for tool in try body.objects("tools") {
            guard try tool.text("type") ?? "custom" == "custom" else {
                throw tool.fault("type", "tools that Anthropic's service runs are not at this provider; leave it out")
            }
            request.tools.append(try tool.tool(schema: "input_schema"))
        }
        try readChoice(body, &request)
        request.maxTokens = try body.positive("max_tokens")
        request.temperature = try body.number("temperature")
        request.sampling.topP = try body.number("top_p")
        request.sampling.topK = try body.integer("top_k")
        request.sampling.stop = try body.texts("stop_sequences")
        let output = try body.object("output_config")
        let place = output?["format"] == nil ? (body, "output_format") : (output ?? body, "format")
        if let format = try place.0.object(place.1) {
            guard try format.text("type") == "json_schema" else {
                throw format.refusal(of: "type", expected: "json_schema")
            }
            request.format = try format.answerSchema()
        }
        if let thinking = try body.object("thinking") { request.thinks = try thinking.text("type") != "disabled" }
        if request.thinks == true { request.effort = try output?.text("effort") }
        return ClientRequest(request, streams: try body.flag("stream") ?? false)
    }

    /// What the user says: the results of calls first, then the rest. Pictures within results follow them.
    private static func said(_ message: Fields, _ names: CallNames) throws(RequestFault) -> [ChatTurn] {
        if let text = message["content"]?.text { return [.user(text)] }
        var (results, parts): ([ChatTurn], [ChatPart]) = ([], [])
        for block in try message.objects("content") {
            guard try block.text("type") == "tool_result" else {
                parts.append(try part(block))
                continue
            }
            let id = try block.requiredText("tool_use_id")
            var texts: [String] = []
            if let text = block["content"]?.text {
                texts = [text]
            } else {
                for inner in try block.objects("content") {
                    switch try part(inner) {
                    case .text(let text): texts.append(text)
                    case .image(let image): parts.append(.image(image))
                    }
                }
            }
            results.append(
                .toolResult(
                    id: id, name: names[id], text: texts.joined(separator: "\n"),
                    isError: try block.flag("is_error") ?? false))
        }
        if parts.count == 1, let text = parts[0].text { return results + [.user(text)] }
        return parts.isEmpty ? results : results + [.parts(parts)]
    }

    private static func part(_ block: Fields) throws(RequestFault) -> ChatPart {
        switch try block.text("type") {
        case "text": return .text(try block.text("text") ?? "")
        case "image":
            guard let source = try block.object("source") else { throw block.fault("source", "is required") }
            switch try source.text("type") {
            case "base64":
                return .image(
                    ChatImage(
                        .data(type: try source.requiredText("media_type"), base64: try source.requiredText("data"))))
            case "url": return .image(ChatImage(.address(try source.requiredText("url"))))
            default: throw source.refusal(of: "type", expected: "base64 or url")
            }
        default: throw block.refusal(of: "type", expected: "text, image or tool_result")
        }
    }

    private static func answered(_ message: Fields) throws(RequestFault) -> ChatReply {
        if let text = message["content"]?.text { return ChatReply(text: text) }
        var reply = ChatReply(text: "")
        for block in try message.objects("content") {
            switch try block.text("type") {
            case "text": reply.text += try block.text("text") ?? ""
            case "thinking": reply.thinking += try block.text("thinking") ?? ""
            // Only its author can read it.
            case "redacted_thinking": break
            case "tool_use":
                reply.calls.append(
                    ChatCall(
                        id: try block.text("id") ?? "", name: try block.requiredText("name"),
                        written: try block.schema("input")?.text ?? ""))
            default: throw block.refusal(of: "type", expected: "text, thinking or tool_use")
            }
        }
        return reply
    }

    private static func readChoice(_ body: Fields, _ request: inout ModelChatRequest) throws(RequestFault) {
        guard let choice = try body.object("tool_choice") else { return }
        switch try choice.text("type") {
        case "auto": request.toolChoice = .auto
        case "any": request.toolChoice = .required
        case "none": request.toolChoice = ChatToolChoice.none
        case "tool": request.toolChoice = .named(try choice.requiredText("name"))
        default: throw choice.refusal(of: "type", expected: "auto, any, tool or none")
        }
        if try choice.flag("disable_parallel_tool_use") == true { request.callsInParallel = false }
    }
}
