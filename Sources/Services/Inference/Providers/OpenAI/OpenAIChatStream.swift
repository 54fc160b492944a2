import GatewayAPI
package import NIOCore
package import Transport

/// Reads the events of `/chat/completions`.
package struct OpenAIChatStream: ChatStreamParser {
    /// The members in which servers send thinking, and expect it back in a tool loop.
    static let thinkingMembers = ["reasoning_content", "reasoning"]
    /// The bytes of thinking that are kept for ``ChatReply/continuation``; more is dropped as a whole.
    private static let thinkingLimit = 1 << 20

    package private(set) var hasEnded = false
    private let provider: String
    private var source = ServerSentEvents()
    private var calls: JoinedCalls
    private var finishReason: String?
    private var isRefused = false
    private var thinking: (member: String, text: String)?

    /// Creates a parser that has read nothing.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, for errors and the continuation.
    ///   - streamsCalls: Whether the pieces of calls are events.
    package init(provider: String, streamsCalls: Bool = false) {
        self.provider = provider
        calls = JoinedCalls(streams: streamsCalls)
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
        // Some servers end without [DONE].
        guard finishReason != nil else {
            throw cut
        }
        end(&events)
    }

    private var cut: UpstreamError {
        UpstreamError(.cut, "provider \"\(provider)\" ended the stream before the end of the answer")
    }

    private mutating func read(
        _ arrived: (events: [ServerSentEvents.Event], error: UpstreamError?), _ events: inout [ChatEvent]
    ) throws(UpstreamError) {
        for event in arrived.events where !hasEnded { try read(event, &events) }
        if !hasEnded, let error = arrived.error { throw error }
    }

    private mutating func read(
        _ event: ServerSentEvents.Event, _ events: inout [ChatEvent]
    ) throws(UpstreamError) {
        if event.data.starts(with: "[DONE]".utf8) { return end(&events) }
        guard let document = try? JSONDocument(parsing: event.data), document.root.isObject, document.isUnicode else {
            throw UpstreamError(
                .invalidResponse, "an event of provider \"\(provider)\" is not an object of JSON")
        }
        let value = document.root
        let isError = value["error"].map { !$0.isNull } ?? false
        if isError || event.name == "error" || value["object"]?.text == "error" {
            throw RemoteError(value.value ?? .null).inStream(of: provider)
        }
        // Some servers repeat the counts in every event.
        if let usage = value["usage"], usage.isObject {
            events.append(
                .usage(
                    ChatUsage(
                        promptTokens: usage["prompt_tokens"]?.count,
                        completionTokens: usage["completion_tokens"]?.count,
                        cachedTokens: usage["prompt_tokens_details"]?["cached_tokens"]?.count,
                        thinkingTokens: usage["completion_tokens_details"]?["reasoning_tokens"]?.count)))
        }
        for choice in value["choices"]?.elements ?? [] where (choice["index"]?.count ?? 0) == 0 {
            if let content = choice["logprobs"]?["content"]?.elements, !content.isEmpty {
                events.append(.probabilities(content.map(JSONSource.init)))
            }
            if let delta = choice["delta"] { try read(delta, &events) }
            guard let reason = choice["finish_reason"]?.text else { continue }
            if reason == "error" { throw RemoteError(choice.value ?? .null).inStream(of: provider) }
            finishReason = reason
        }
    }

    private mutating func read(_ delta: JSONPlace, _ events: inout [ChatEvent]) throws(UpstreamError) {
        if let member = Self.thinkingMembers.first(where: { delta[$0]?.text?.isEmpty == false }),
            let text = delta[member]?.text
        {
            var known = thinking ?? (member, "")
            if known.text.utf8.count <= Self.thinkingLimit { known.text += text }
            thinking = known
            events.append(.thinking(text))
        }
        if let text = delta["content"]?.text, !text.isEmpty { events.append(.text(text)) }
        if let text = delta["refusal"]?.text, !text.isEmpty {
            isRefused = true
            events.append(.text(text))
        }
        for call in delta["tool_calls"]?.elements ?? [] {
            if let piece = try calls.add(call) { events.append(.callPiece(piece)) }
        }
    }

    private mutating func end(_ events: inout [ChatEvent]) {
        hasEnded = true
        let isCut = finishReason == "length"
        let calls = calls.calls(isCut: isCut)
        events += calls.map(ChatEvent.call)
        if isRefused || finishReason == "content_filter" { return events.append(.ended(ChatEnd(.refused))) }
        if isCut { return events.append(.ended(ChatEnd(.length))) }
        events.append(.ended(calls.isEmpty ? ChatEnd(.stop) : ChatEnd(.calls, continuation: continuation)))
    }

    private var continuation: JSONValue? {
        guard let thinking, thinking.text.utf8.count <= Self.thinkingLimit else { return nil }
        return .object(["provider": .string(provider), thinking.member: .string(thinking.text)])
    }
}
