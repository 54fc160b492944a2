import Foundation

/// `/api/generate` and `/api/chat`.
extension API {
    func generate(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.GenerateRequest")
        let name = try body.model()
        let prompt = try body.text("prompt") ?? ""
        let suffix = try body.text("suffix") ?? ""
        let system = try body.text("system") ?? ""
        let isRaw = try body.flag("raw") ?? false
        let context = try body.array("context") ?? []
        let model = try model(name)
        let format = NativeFormat(model: name, isChat: false, context: isRaw ? nil : context, prompt: prompt)
        if prompt.isEmpty, try body.keepAlive() == 0 { return try await unload(model, format, fault) }
        if isRaw, try !system.isEmpty || !context.isEmpty || !(body.text("template") ?? "").isEmpty {
            throw APIError(400, "raw mode does not support template, system, or context")
        }
        guard model.can("completion") else { throw APIError(400, "\(quoted(name)) does not support generate") }
        var inference = try inference(body, name: name, model: model)
        if !suffix.isEmpty { try require("insert", of: model) }
        if prompt.isEmpty { return try await load(inference, format, fault) }
        let images = try body.array("images")?.count ?? 0
        if !context.isEmpty {
            inference.messages.append(.init(role: "context", content: context.map(\.encoded).joined(separator: " ")))
        }
        if !system.isEmpty { inference.messages.append(.init(role: "system", content: system)) }
        if !suffix.isEmpty { inference.messages.append(.init(role: "suffix", content: suffix)) }
        inference.messages.append(.init(role: "user", content: prompt, imageCount: images))
        try await run(inference, as: format, fault)
    }

    func chat(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.ChatRequest")
        let name = try body.model()
        guard !name.isEmpty else { throw APIError(400, "model is required") }
        let messages = try (body.array("messages") ?? []).map { json throws(APIError) in
            let message = RequestBody(json, type: "api.Message")
            for call in try message.array("tool_calls") ?? [] {
                let function = RequestBody(call["function"] ?? [:], type: "api.ToolCallFunction")
                _ = try function.object("arguments")
            }
            return Message(
                role: (try message.text("role") ?? "").lowercased(), content: try message.text("content") ?? "",
                imageCount: try message.array("images")?.count ?? 0)
        }
        let model = try model(name)
        let format = NativeFormat(model: name, isChat: true)
        if messages.isEmpty, try body.keepAlive() == 0 { return try await unload(model, format, fault) }
        guard model.can("completion") else { throw APIError(400, "\(quoted(name)) does not support chat") }
        var inference = try inference(body, name: name, model: model)
        inference.messages = messages
        inference.tools = try (body.array("tools") ?? []).compactMap(Tool.init)
        if !inference.tools.isEmpty { try require("tools", of: model) }
        if messages.isEmpty { return try await load(inference, format, fault) }
        try fit(&inference, in: inference.demand.contextLength ?? options.defaultContextLength, body)
        try await run(inference, as: format, fault)
    }

    /// Refuses a prompt that is longer than the context where the client forbids to cut it, and ends the answer where
    /// the context is full and may not shift.
    private func fit(_ inference: inout Inference, in context: Int, _ body: RequestBody) throws(APIError) {
        let room = context - inference.promptTokens
        if try body.flag("truncate") == false, room < 0 {
            throw APIError(400, "the input length exceeds the context length")
        }
        let wanted = inference.limit < 0 ? options.tokens : inference.limit
        if try body.flag("shift") == false, wanted > room { inference.limit = max(0, room) }
    }

    /// The inference of a request, for all routes.
    func inference(_ body: RequestBody, name: String, model: Model) throws(APIError) -> Inference {
        let options = RequestBody(try body.object("options") ?? [:], type: "api.Options")
        var inference = Inference(
            name: name,
            demand: .init(
                model: model, contextLength: try options.int("num_ctx"), keepAlive: try body.keepAlive()),
            messages: [])
        inference.limit = try options.int("num_predict") ?? -1
        inference.stops = try (options.array("stop") ?? []).compactMap(\.text)
        inference.isStream = try body.flag("stream") ?? true
        inference.format = body.json["format"]
        inference.isThinking = try thinks(body.json["think"], model: model, name: name)
        return inference
    }

    /// Whether a model thinks; by default it does.
    func thinks(_ think: JSON?, model: Model, name: String) throws(APIError) -> Bool {
        let wanted: Bool?
        switch think {
        case nil, .null?: wanted = nil
        case .bool(let flag)?: wanted = flag
        case .string(let level)?:
            guard ["high", "medium", "low", "max"].contains(level) else {
                let levels = #"(must be "high", "medium", "low", "max", true, or false)"#
                throw APIError(400, "invalid think value: \(quoted(level)) \(levels)")
            }
            wanted = true
        default:
            throw APIError(400, #"think must be a boolean or string ("high", "medium", "low", "max", true, or false)"#)
        }
        guard model.can("thinking") || wanted != true else {
            throw APIError(400, "\(quoted(name)) does not support thinking")
        }
        return model.can("thinking") && wanted ?? true
    }

    func require(_ capability: String, of model: Model) throws(APIError) {
        guard !model.can(capability) else { return }
        throw APIError(400, "registry.ollama.ai/library/\(model.name) does not support \(capability)")
    }

    private func load(_ inference: Inference, _ format: NativeFormat, _ fault: Fault.Kind?) async throws {
        try await server.withModel(inference.demand, for: exchange) { _ in
            try await exchange.send(fault: fault, format.empty(reason: "load"))
        }
    }

    private func unload(_ model: Model, _ format: NativeFormat, _ fault: Fault.Kind?) async throws {
        server.unload(model)
        try await exchange.send(fault: fault, format.empty(reason: "unload"))
    }
}

/// Ollama's own line format.
struct NativeFormat: AnswerFormat {
    let model: String
    let isChat: Bool
    /// The tokens of the conversation up to now; nil omits them.
    var context: [JSON]?
    var prompt = ""
    private var answer = ""

    var kind: LineStream.Kind { .lines }

    init(model: String, isChat: Bool, context: [JSON]? = nil, prompt: String = "") {
        self.model = model
        self.isChat = isChat
        self.context = context
        self.prompt = prompt
    }

    private var start: String { #"{"model":\#(quoted(model)),"created_at":"2026-01-01T00:00:00.000000001Z","# }

    private func content(_ text: String, thinking: String = "", calls: [(name: String, arguments: JSON)] = []) -> String
    {
        let thought = thinking.isEmpty ? "" : #","thinking":\#(quoted(thinking))"#
        guard isChat else { return #""response":\#(quoted(text))\#(thought),"# }
        let list = calls.enumerated().map { index, call in
            #"{"id":\#(quoted(Self.identifier(of: call))),"function":{"index":\#(index),"name":\#(quoted(call.name)),"#
                + #""arguments":\#(call.arguments.encoded)}}"#
        }
        let tools = list.isEmpty ? "" : #","tool_calls":[\#(list.joined(separator: ","))]"#
        return #""message":{"role":"assistant","content":\#(quoted(text))\#(thought)\#(tools)},"#
    }

    /// The identifier of a tool call, the same for equal calls.
    static func identifier(of call: (name: String, arguments: JSON)) -> String {
        let digits = String(SyntheticText.hash(call.name + call.arguments.encoded), radix: 36)
        return "call_" + (String(repeating: "0", count: 8) + digits).suffix(8)
    }

    func empty(reason: String) -> String { start + content("") + #""done":true,"done_reason":"\#(reason)"}"# }

    private func end(_ ending: Inference.Ending) -> String {
        var text = #""done":true,"done_reason":\#(quoted(ending.reason)),"#
        if !isChat, let context {
            let numbers = context.map(\.encoded) + SyntheticText.numbers(of: prompt + " " + answer).map(String.init)
            text += #""context":[\#(numbers.joined(separator: ","))],"#
        }
        return text + ending.metrics + "}"
    }

    mutating func flushes(_ event: Inference.Event) -> [String] {
        switch event {
        case .thinking(let text): return [start + content("", thinking: text) + "\"done\":false}\n"]
        case .text(let text):
            if context != nil { answer += text }
            return [start + content(text) + "\"done\":false}\n"]
        case .toolCall(let name, let arguments):
            return [start + content("", calls: [(name, arguments)]) + "\"done\":false}\n"]
        case .done(let ending): return [start + content("") + end(ending) + "\n"]
        }
    }

    mutating func whole(_ events: [Inference.Event]) -> (type: String, text: String) {
        answer = events.text
        let body = content(events.text, thinking: events.thinking, calls: events.toolCalls)
        let last = events.ending.map { end($0) } ?? #""done":true}"#
        return ("application/json; charset=utf-8", start + body + last)
    }
}
