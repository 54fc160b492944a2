import Foundation

/// The OpenAI-compatible routes.
extension API {
    func chatCompletions(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "openai.ChatCompletionRequest")
        let raw = try body.array("messages") ?? []
        guard !raw.isEmpty else { throw APIError(400, "[] is too short - 'messages'") }
        var messages: [Message] = []
        for json in raw { messages += try Self.messages(json) }
        var inference = try openAIInference(body, chat: true)
        inference.messages = messages
        inference.tools = try (body.array("tools") ?? []).compactMap(Tool.init)
        if !inference.tools.isEmpty { try require("tools", of: inference.demand.model) }
        if let format = try body.object("response_format") {
            switch format["type"]?.text {
            case "json_object": inference.format = "json"
            case "json_schema": inference.format = format["json_schema"]?["schema"]
            default: break
            }
        }
        let format = ChatCompletionFormat(
            id: "chatcmpl-\(inference.number)", model: inference.name, hasUsage: try hasUsage(body))
        try await run(inference, as: format, fault)
    }

    func completions(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "openai.CompletionRequest")
        let prompt = try body.text("prompt") ?? ""
        var inference = try openAIInference(body, chat: false)
        if try !(body.text("suffix") ?? "").isEmpty { try require("insert", of: inference.demand.model) }
        inference.messages = [.init(role: "user", content: prompt)]
        let format = CompletionFormat(
            id: "cmpl-\(inference.number)", model: inference.name, hasUsage: try hasUsage(body))
        guard !prompt.isEmpty else {
            // Ollama loads the model and answers without text.
            return try await server.withModel(inference.demand, for: exchange) { _ in
                let ending = Inference.Ending(reason: "load", promptTokens: 0, tokens: 0, loadNanoseconds: 0)
                let text =
                    inference.isStream ? format.flushes(.done(ending)).joined() : format.whole([.done(ending)]).text
                try await exchange.send(
                    type: inference.isStream ? "text/event-stream" : "application/json", fault: fault, text)
            }
        }
        try await run(inference, as: format, fault)
    }

    private func hasUsage(_ body: RequestBody) throws(APIError) -> Bool {
        try body.object("stream_options")?["include_usage"]?.flag ?? false
    }

    private func openAIInference(_ body: RequestBody, chat: Bool) throws(APIError) -> Inference {
        let name = try body.text("model") ?? ""
        if chat, name.isEmpty { throw APIError(400, "model is required") }
        let model = try model(name)
        guard model.can("completion") else {
            throw APIError(400, "\(quoted(name)) does not support \(chat ? "chat" : "generate")")
        }
        var inference = Inference(name: name, demand: .init(model: model), messages: [])
        inference.limit = try body.int("max_tokens") ?? -1
        inference.isStream = try body.flag("stream") ?? false
        switch body.json["stop"] {
        case .string(let stop)?: inference.stops = [stop]
        case .array(let stops)?: inference.stops = stops.compactMap(\.text)
        default: break
        }
        let reasoning = try body.object("reasoning")?["effort"]?.text
        let effort = try reasoning == nil ? body.text("reasoning_effort") : reasoning
        inference.isThinking = try thinks(try Self.think(effort), model: model, name: name)
        return inference
    }

    /// Maps a reasoning effort to Ollama's `think`.
    static func think(_ effort: String?) throws(APIError) -> JSON? {
        switch effort {
        case nil, ""?: return nil
        case "none"?: return false
        case "minimal"?, "low"?, "medium"?, "high"?, "max"?, "xhigh"?, "ultra"?: return true
        case let effort?:
            let known = #"(must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")"#
            throw APIError(400, "invalid reasoning value: \(quoted(effort)) \(known)")
        }
    }

    /// Converts one of OpenAI's messages to Ollama's: one for each of its parts.
    private static func messages(_ json: JSON) throws(APIError) -> [Message] {
        let role = (json["role"]?.text ?? "").lowercased()
        switch json["content"] {
        case .string(let text)?: return [.init(role: role, content: text)]
        case .array(let parts)?:
            var messages: [Message] = []
            for part in parts {
                switch part["type"]?.text {
                case "text":
                    guard let text = part["text"]?.text else { throw APIError(400, "invalid message format") }
                    messages.append(.init(role: role, content: text))
                case "image_url":
                    guard let url = part["image_url"]?["url"]?.text ?? part["image_url"]?.text else {
                        throw APIError(400, "invalid message format")
                    }
                    if url.hasPrefix("http") {
                        let message = "image URLs are not currently supported, please use base64 encoded data instead"
                        throw APIError(400, message)
                    }
                    guard url.hasPrefix("data:"), url.contains(";base64,") else {
                        throw APIError(400, "invalid image input")
                    }
                    messages.append(.init(role: role, content: "", imageCount: 1))
                default: throw APIError(400, "invalid message format")
                }
            }
            return messages
        default:
            guard json["tool_calls"]?.elements != nil else {
                throw APIError(400, "invalid message content type: <nil>")
            }
            return [.init(role: role, content: "")]
        }
    }

    // MARK: Vectors and models

    func openAIEmbeddings(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "openai.EmbedRequest")
        let encoding = try body.text("encoding_format") ?? ""
        guard ["", "float", "base64"].contains(encoding.lowercased()) else {
            let message = "Invalid value for 'encoding_format' = \(encoding). Supported values: ['float', 'base64']."
            throw APIError(400, message)
        }
        let input = body.json["input"] ?? .null
        if input.isNull || input == [] { throw APIError(400, "invalid input") }
        let texts = input == "" ? [""] : try texts(of: body)
        let vectors = try await vectors(of: texts, body: body, isTruncating: true)
        let rows = vectors.values.enumerated().map { index, vector in
            let value =
                encoding.lowercased() == "base64"
                ? quoted(Self.base64(vector)) : "[" + vector.map(goNumber).joined(separator: ",") + "]"
            return #"{"object":"embedding","embedding":\#(value),"index":\#(index)}"#
        }
        let usage = #"{"prompt_tokens":\#(vectors.tokens),"total_tokens":\#(vectors.tokens)}"#
        let name = quoted(try body.text("model") ?? "")
        let reply = #"{"object":"list","data":[\#(rows.joined(separator: ","))],"model":\#(name),"usage":\#(usage)}"#
        try await exchange.send(type: "application/json", fault: fault, reply + "\n")
    }

    private static func base64(_ vector: [Float]) -> String {
        var data = Data()
        for value in vector { withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) } }
        return data.base64EncodedString()
    }

    private func describe(id: String) -> JSON {
        [
            "id": .string(id), "object": "model", "created": JSON(Catalogue.modifiedSeconds),
            "owned_by": .string(id.contains("/") ? String(id.prefix { $0 != "/" }) : "library"),
        ]
    }

    func openAIModels(_ fault: Fault.Kind?) async throws {
        let models = server.catalogue.models.map { describe(id: $0.name) }
        let reply: JSON = ["object": "list", "data": models.isEmpty ? .null : .array(models)]
        try await exchange.send(type: "application/json", fault: fault, reply.encoded + "\n")
    }

    func openAIModel(_ fault: Fault.Kind?) async throws {
        let name = String(exchange.path.dropFirst("/v1/models/".count)).removingPercentEncoding ?? ""
        _ = try model(name)
        try await exchange.send(type: "application/json", fault: fault, describe(id: name).encoded + "\n")
    }
}
