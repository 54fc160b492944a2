import GatewayAPI
package import NIOCore
package import Transport

/// Reads the NDJSON of Ollama's `/api/chat`.
package struct OllamaChatStream: ChatStreamParser {
    /// The largest line in bytes.
    private static let lineLimit = 16 << 20
    /// The bytes of thinking that are kept for ``ChatReply/continuation``; more is dropped as a whole.
    private static let thinkingLimit = 1 << 20

    package private(set) var hasEnded = false
    private var framer = LineFramer(maxLineBytes: OllamaChatStream.lineLimit)
    private var hasCalls = false
    private var thinking = ""

    package init() {}

    package mutating func push(_ bytes: ByteBuffer, _ events: inout [ChatEvent]) throws(UpstreamError) {
        guard !hasEnded, let lines = try framer.push(bytes) else { return }
        for line in lines.readableBytesView.split(separator: UInt8(ascii: "\n")) { try read(Array(line), &events) }
    }

    package mutating func finish(_ events: inout [ChatEvent]) throws(UpstreamError) {
        let cut = UpstreamError(.cut, "Ollama ended the stream before its last line")
        do throws(UpstreamError) {
            try read(Array(framer.takeRemainder().readableBytesView), &events)
        } catch  where error.code == .invalidResponse {
            throw cut
        }
        guard hasEnded else { throw cut }
    }

    private mutating func read(_ line: [UInt8], _ events: inout [ChatEvent]) throws(UpstreamError) {
        guard !hasEnded, line.contains(where: { $0 > 0x20 }) else { return }
        guard let document = try? JSONDocument(parsing: line), document.root.isObject, document.isUnicode else {
            throw UpstreamError(.invalidResponse, "a line of Ollama's stream is not an object of JSON")
        }
        let value = document.root
        if let error = value["error"], !error.isNull {
            throw UpstreamError(
                .status, error.text ?? "the model failed in mid-stream", from: "Ollama",
                status: value["status"]?.count ?? 500)
        }
        let message = value["message"]
        if let text = message?["thinking"]?.text, !text.isEmpty {
            if thinking.utf8.count <= Self.thinkingLimit { thinking += text }
            events.append(.thinking(text))
        }
        if let content = value["logprobs"]?.elements, !content.isEmpty {
            events.append(.probabilities(content.map(JSONSource.init)))
        }
        if let text = message?["content"]?.text, !text.isEmpty { events.append(.text(text)) }
        for call in message?["tool_calls"]?.elements ?? [] {
            hasCalls = true
            events.append(.call(Self.call(call)))
        }
        guard value["done"]?.flag == true else { return }
        events.append(.usage(Self.usage(value)))
        events.append(.ended(end(value["done_reason"]?.text)))
        hasEnded = true
    }

    private static func call(_ value: JSONPlace) -> ChatCall {
        let function = value["function"]
        let arguments = function?["arguments"].flatMap { $0.isNull ? nil : $0.text ?? JSONSource($0).text }
        return ChatCall(
            id: value["id"]?.text ?? "", name: function?["name"]?.text ?? "", written: arguments ?? "{}")
    }

    private static func usage(_ value: JSONPlace) -> ChatUsage {
        // Ollama leaves out a count of 0.
        ChatUsage(
            promptTokens: value["prompt_eval_count"]?.count, completionTokens: value["eval_count"]?.count,
            loadTime: value["load_duration"]?.count.map { .nanoseconds($0) })
    }

    private func end(_ reason: String?) -> ChatEnd {
        if reason == "length" { return ChatEnd(.length) }
        guard hasCalls else { return ChatEnd(.stop) }
        // Some models lose their plan in a tool loop when they do not get their thinking back.
        let isKept = !thinking.isEmpty && thinking.utf8.count <= Self.thinkingLimit
        return ChatEnd(.calls, continuation: isKept ? .object(["thinking": .string(thinking)]) : nil)
    }
}
