import GatewayAPI
package import NIOCore
package import Transport

/// Reads the events of Anthropic's `/v1/messages`.
package struct AnthropicChatStream: ChatStreamParser {
    /// The most bytes of an answer that are kept until its end.
    private static let limit = 8 << 20
    /// The statuses of errors that come within a stream.
    private static let statuses = [
        "invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403,
        "not_found_error": 404, "request_too_large": 413, "rate_limit_error": 429, "api_error": 500,
        "timeout_error": 504, "overloaded_error": 529,
    ]

    package private(set) var hasEnded = false
    private let provider: String
    /// The numbers of the passages, in the order in which citations count them.
    private let passages: [Int]
    private var source = ServerSentEvents()
    /// The blocks whose end has not come, by index.
    private var open: [Int: AnthropicBlock] = [:]
    /// The complete blocks, as they go back.
    private var blocks: [JSONValue] = []
    /// Calls with invalid arguments: a limit may have cut them.
    private var doubtful: [ChatCall] = []
    private var hasCalls = false
    /// Whether the pieces of calls are events.
    private let streamsCalls: Bool
    /// The number of calls that have begun.
    private var begunCalls = 0
    private var bytes = 0
    private var usage = Usage()
    private var stopReason: String?

    /// The counts so far; each event repeats only some.
    private struct Usage {
        var input: Int?
        var written: Int?
        var read: Int?
        var output: Int?
    }

    /// Creates a parser that has read nothing.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, for errors and the continuation.
    ///   - passages: The numbers of the request's passages, in order.
    ///   - streamsCalls: Whether the pieces of calls are events.
    package init(provider: String, passages: [Int] = [], streamsCalls: Bool = false) {
        self.provider = provider
        self.streamsCalls = streamsCalls
        self.passages = passages
    }

    package mutating func push(_ bytes: ByteBuffer, _ events: inout [ChatEvent]) throws(UpstreamError) {
        try read(source.push(bytes), &events)
    }

    package mutating func finish(_ events: inout [ChatEvent]) throws(UpstreamError) {
        do throws(UpstreamError) {
            try read(source.finish(), &events)
        } catch  where error.code == .invalidResponse {
            throw cut
        }
        guard !hasEnded else { return }
        throw cut
    }

    private var cut: UpstreamError {
        UpstreamError(.cut, "provider \"\(provider)\" ended the stream before the end of the answer")
    }

    private mutating func read(
        _ arrived: (events: [ServerSentEvents.Event], error: UpstreamError?), _ events: inout [ChatEvent]
    ) throws(UpstreamError) {
        for event in arrived.events where !hasEnded {
            bytes += event.data.count
            guard let document = try? JSONDocument(parsing: event.data), document.root.isObject, document.isUnicode
            else {
                throw invalid("an event of provider \"\(provider)\" is not an object of JSON")
            }
            try read(document.root, &events)
        }
        if !hasEnded, let error = arrived.error { throw error }
    }

    private func invalid(_ message: String) -> UpstreamError { UpstreamError(.invalidResponse, message) }

    private mutating func read(_ value: JSONPlace, _ events: inout [ChatEvent]) throws(UpstreamError) {
        let index = value["index"]?.count ?? 0
        switch value["type"]?.text {
        case "message_start": count(value["message"]?["usage"], &events)
        case "content_block_start":
            guard open.count < 64, open[index] == nil, let block = value["content_block"] else {
                throw invalid("provider \"\(provider)\" began a part of the answer twice")
            }
            let part = AnthropicBlock(block, calls: begunCalls)
            open[index] = part
            if part.callIndex != nil { begunCalls += 1 }
            if let event = part.first { events.append(event) }
            if streamsCalls, let event = part.piece("") { events.append(event) }
        case "content_block_delta":
            guard let delta = value["delta"] else { return }
            if let event = open[index]?.add(delta) { try send(event, &events) }
            guard bytes <= Self.limit else { throw invalid("the answer of provider \"\(provider)\" is too large") }
        case "content_block_stop":
            guard let block = open.removeValue(forKey: index) else { return }
            if let kept = block.value { blocks.append(kept) }
            if let markers = block.markers(passages) { events.append(.text(markers)) }
            guard let call = block.call else { return }
            if call.arguments.isObject { send(call, &events) } else { doubtful.append(call) }
        case "message_delta":
            if let reason = value["delta"]?["stop_reason"]?.text { stopReason = reason }
            count(value["usage"], &events)
        case "message_stop": end(&events)
        case "error":
            let said = RemoteError(value.value ?? .null)
            throw said.inStream(of: provider, status: said.word.flatMap { Self.statuses[$0] } ?? 500)
        default:
            // Pings, and events that later versions of the API add.
            return
        }
    }

    private func send(_ event: ChatEvent, _ events: inout [ChatEvent]) throws(UpstreamError) {
        if case .callPiece(let piece) = event {
            guard streamsCalls else { return }
            guard piece.index == begunCalls - 1 else {
                throw invalid("provider \"\(provider)\" writes several calls at the same time")
            }
        }
        events.append(event)
    }

    private mutating func count(_ value: JSONPlace?, _ events: inout [ChatEvent]) {
        guard let value else { return }
        usage.input = value["input_tokens"]?.count ?? usage.input
        usage.written = value["cache_creation_input_tokens"]?.count ?? usage.written
        usage.read = value["cache_read_input_tokens"]?.count ?? usage.read
        usage.output = value["output_tokens"]?.count ?? usage.output
        let parts = [usage.input, usage.written, usage.read].compactMap { $0 }
        events.append(
            .usage(
                ChatUsage(
                    promptTokens: parts.isEmpty ? nil : parts.reduce(0) { $0.addingReportingOverflow($1).partialValue },
                    completionTokens: usage.output, cachedTokens: usage.read)))
    }

    private mutating func send(_ call: ChatCall, _ events: inout [ChatEvent]) {
        hasCalls = true
        events.append(.call(call))
    }

    private mutating func end(_ events: inout [ChatEvent]) {
        hasEnded = true
        let isCut = stopReason == "max_tokens" || stopReason == "model_context_window_exceeded"
        if !isCut { for call in doubtful { send(call, &events) } }
        let reason: ChatEnd.Reason = isCut ? .length : stopReason == "refusal" ? .refused : hasCalls ? .calls : .stop
        let continuation: JSONValue? =
            reason == .calls ? .object(["provider": .string(provider), "content": .array(blocks)]) : nil
        events.append(.ended(ChatEnd(reason, continuation: continuation)))
    }
}
