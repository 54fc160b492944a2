import GatewayAPI

/// Answers of OpenAI's `/v1/chat/completions`; citations are annotations.
package struct CompletionsAnswer: AnswerWriter {
    package static let streamType = "text/event-stream"

    private let head: AnswerHead
    private let givesUsage: Bool
    /// What precedes the choices of every event.
    private let start: [UInt8]
    private var calls = CallsInStream()
    private var probabilities: [JSONSource] = []

    /// - Parameter givesUsage: Whether a stream ends with the counts.
    package init(_ head: AnswerHead, givesUsage: Bool) {
        (self.head, self.givesUsage) = (head, givesUsage)
        let object = JSONWriter.object { Self.start(head, "chat.completion.chunk", &$0) }
        start = Array("data: ".utf8) + object.dropLast() + Array(#","choices":["#.utf8)
    }

    package func opening() -> [UInt8] {
        var bytes: [UInt8] = []
        chunk(&bytes) {
            $0.member("role", "assistant")
            $0.member("content", "")
        }
        return bytes
    }

    package mutating func write(_ event: ChatEvent, to bytes: inout [UInt8]) {
        switch event {
        case .text(let piece):
            chunk(&bytes) { $0.member("content", piece) }
            probabilities = []
        case .thinking(let piece): chunk(&bytes) { $0.member("reasoning_content", piece) }
        case .callPiece(let piece):
            let (index, isFirst, leftEmpty) = calls.take(piece)
            if leftEmpty { call(&bytes, index - 1, nil, "{}") }
            guard isFirst || !piece.text.isEmpty else { return }
            call(&bytes, index, isFirst ? ChatCall(id: piece.id, name: piece.name, written: "") : nil, piece.text)
        case .call(let call):
            let (index, isBegun, hasArguments) = calls.end()
            guard !hasArguments else { return }
            self.call(&bytes, index, isBegun ? nil : call, call.written.isEmpty ? "{}" : call.written)
        case .probabilities(let more): probabilities += more
        case .waiting, .sent, .usage, .ended: break
        }
    }

    package mutating func closing(_ end: AnswerEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        if !end.citations.isEmpty {
            chunk(&bytes) { $0.member("annotations", array: { Self.annotations(end, &$0) }) }
        }
        chunk(&bytes, reason: Self.reason(end)) { _ in }
        if givesUsage {
            bytes += start
            bytes += #"],"usage":"#.utf8
            bytes += JSONWriter.object { Self.usage(end, &$0) }
            bytes += "}\n\n".utf8
        }
        return bytes + "data: [DONE]\n\n".utf8
    }

    package func broken(_ failure: AnswerFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        EventText.append(nil, json: failure.json, to: &bytes)
        return bytes
    }

    package func whole(_ content: AnswerContent, _ end: AnswerEnd) -> [UInt8] {
        JSONWriter.object(reserving: content.text.utf8.count + 1024) { json in
            Self.start(head, "chat.completion", &json)
            json.member(
                "choices",
                array: {
                    $0.object { json in
                        json.member("index", 0)
                        json.member("message", object: { message(content, end, &$0) })
                        Self.write(content.probabilities, isAlways: true, &json)
                        json.member("finish_reason", Self.reason(end))
                    }
                })
            json.member("usage", object: { Self.usage(end, &$0) })
        }
    }

    private func message(_ content: AnswerContent, _ end: AnswerEnd, _ json: inout JSONWriter) {
        json.member("role", "assistant")
        if content.text.isEmpty, !content.calls.isEmpty {
            json.null("content")
        } else {
            json.member("content", content.text)
        }
        if !content.thinking.isEmpty { json.member("reasoning_content", content.thinking) }
        json.null("refusal")
        json.member("annotations", array: { Self.annotations(end, &$0) })
        guard !content.calls.isEmpty else { return }
        json.member(
            "tool_calls",
            array: { json in
                for (index, call) in content.calls.enumerated() {
                    json.object { write(call, at: index, call.written.isEmpty ? "{}" : call.written, &$0) }
                }
            })
    }

    private func write(_ call: ChatCall, at index: Int, _ arguments: String, _ json: inout JSONWriter) {
        json.member("id", head.id(of: call.id, at: index))
        json.member("type", "function")
        json.member(
            "function",
            object: {
                $0.member("name", call.name)
                $0.member("arguments", arguments)
            })
    }

    /// - Parameter first: The call when nothing of it was written; nil for a later piece.
    private func call(_ bytes: inout [UInt8], _ index: Int, _ first: ChatCall?, _ text: String) {
        chunk(&bytes) {
            $0.member(
                "tool_calls",
                array: {
                    $0.object { json in
                        json.member("index", index)
                        if let first { return write(first, at: index, text, &json) }
                        json.member("function", object: { $0.member("arguments", text) })
                    }
                })
        }
    }

    private func chunk(_ bytes: inout [UInt8], reason: String? = nil, _ delta: (inout JSONWriter) -> Void) {
        bytes += start
        bytes += JSONWriter.object(reserving: 128) { json in
            json.member("index", 0)
            json.member("delta", object: delta)
            Self.write(probabilities, isAlways: false, &json)
            if let reason { json.member("finish_reason", reason) } else { json.null("finish_reason") }
        }
        bytes += "]}\n\n".utf8
    }

    private static func start(_ head: AnswerHead, _ kind: String, _ json: inout JSONWriter) {
        json.member("id", "chatcmpl-\(head.id)")
        json.member("object", kind)
        json.member("created", head.created)
        json.member("model", head.model)
    }

    private static func write(_ probabilities: [JSONSource], isAlways: Bool, _ json: inout JSONWriter) {
        guard !probabilities.isEmpty else {
            if isAlways { json.null("logprobs") }
            return
        }
        json.member(
            "logprobs",
            object: {
                $0.member("content", array: { for entry in probabilities { $0.element(entry) } })
                $0.null("refusal")
            })
    }

    private static func reason(_ end: AnswerEnd) -> String {
        switch end.reason {
        case .stop: "stop"
        case .length: "length"
        case .calls: "tool_calls"
        case .refused: "content_filter"
        }
    }

    private static func usage(_ end: AnswerEnd, _ json: inout JSONWriter) {
        json.member("prompt_tokens", end.promptTokens)
        json.member("completion_tokens", end.completionTokens)
        json.member("total_tokens", end.totalTokens)
        if let cached = end.usage.cachedTokens {
            json.member("prompt_tokens_details", object: { $0.member("cached_tokens", cached) })
        }
        if let thinking = end.usage.thinkingTokens {
            json.member("completion_tokens_details", object: { $0.member("reasoning_tokens", thinking) })
        }
    }

    private static func annotations(_ end: AnswerEnd, _ json: inout JSONWriter) {
        for citation in end.citations {
            json.object {
                $0.member("type", "url_citation")
                $0.member("url_citation", object: { citation.writePage(&$0) })
            }
        }
    }
}
