import GatewayAPI

/// Answers of Anthropic's `/v1/messages`; citations are those of search results.
package struct MessagesAnswer: AnswerWriter {
    package static let streamType = "text/event-stream"

    private enum Block { case thinking, text, call }

    private let head: AnswerHead
    private var calls = CallsInStream()
    /// The block that is being written.
    private var open: Block?
    /// The blocks that have begun.
    private var count = 0

    package init(_ head: AnswerHead) { self.head = head }

    package func opening() -> [UInt8] {
        var bytes: [UInt8] = []
        EventText.append("message_start", to: &bytes) {
            $0.member("type", "message_start")
            $0.member("message", object: { message(nil, &$0) { _ in } })
        }
        return bytes
    }

    package mutating func write(_ event: ChatEvent, to bytes: inout [UInt8]) {
        switch event {
        case .thinking(let piece):
            begin(.thinking, &bytes) {
                $0.member("type", "thinking")
                $0.member("thinking", "")
                $0.member("signature", "")
            }
            delta("thinking_delta", &bytes) { $0.member("thinking", piece) }
        case .text(let piece):
            begin(.text, &bytes) {
                $0.member("type", "text")
                $0.member("text", "")
            }
            delta("text_delta", &bytes) { $0.member("text", piece) }
        case .callPiece(let piece):
            let (index, isFirst, _) = calls.take(piece)
            if isFirst { begin(piece.id, piece.name, at: index, &bytes) }
            if !piece.text.isEmpty { delta("input_json_delta", &bytes) { $0.member("partial_json", piece.text) } }
        case .call(let call):
            let (index, isBegun, hasArguments) = calls.end()
            guard !hasArguments else { return }
            if !isBegun { begin(call.id, call.name, at: index, &bytes) }
            if !call.written.isEmpty, open == .call {
                delta("input_json_delta", &bytes) { $0.member("partial_json", call.written) }
            }
        case .waiting, .sent, .probabilities, .usage, .ended: break
        }
    }

    package mutating func closing(_ end: AnswerEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        if open == .text {
            for citation in end.citations {
                delta("citations_delta", &bytes) { $0.member("citation", object: { Self.write(citation, &$0) }) }
            }
        }
        stop(&bytes)
        EventText.append("message_delta", to: &bytes) {
            $0.member("type", "message_delta")
            $0.member(
                "delta",
                object: {
                    $0.member("stop_reason", Self.reason(end))
                    $0.null("stop_sequence")
                })
            $0.member("usage", object: { Self.usage(end, &$0) })
        }
        EventText.append("message_stop", to: &bytes) { $0.member("type", "message_stop") }
        return bytes
    }

    package func broken(_ failure: AnswerFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        EventText.append("error", json: failure.json, to: &bytes)
        return bytes
    }

    package func whole(_ content: AnswerContent, _ end: AnswerEnd) -> [UInt8] {
        JSONWriter.object(reserving: content.text.utf8.count + 1024) {
            message(end, &$0) { blocks(content, end, &$0) }
        }
    }

    private func blocks(_ content: AnswerContent, _ end: AnswerEnd, _ json: inout JSONWriter) {
        if !content.thinking.isEmpty {
            json.object {
                $0.member("type", "thinking")
                $0.member("thinking", content.thinking)
                $0.member("signature", "")
            }
        }
        if !content.text.isEmpty {
            json.object {
                $0.member("type", "text")
                $0.member("text", content.text)
                guard !end.citations.isEmpty else { return }
                $0.member(
                    "citations",
                    array: { json in
                        for citation in end.citations { json.object { Self.write(citation, &$0) } }
                    })
            }
        }
        for (index, call) in content.calls.enumerated() {
            json.object {
                $0.member("type", "tool_use")
                $0.member("id", head.id(of: call.id, at: index))
                $0.member("name", call.name)
                $0.member("input", call.argumentsObject)
            }
        }
    }

    private mutating func begin(_ id: String, _ name: String, at index: Int, _ bytes: inout [UInt8]) {
        stop(&bytes)
        let id = head.id(of: id, at: index)
        begin(.call, &bytes) {
            $0.member("type", "tool_use")
            $0.member("id", id)
            $0.member("name", name)
            $0.member("input", object: { _ in })
        }
    }

    /// Begins a block, unless one of the same kind is open.
    private mutating func begin(_ block: Block, _ bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void) {
        guard open != block else { return }
        stop(&bytes)
        EventText.append("content_block_start", to: &bytes) {
            $0.member("type", "content_block_start")
            $0.member("index", count)
            $0.member("content_block", object: members)
        }
        open = block
        count += 1
    }

    private mutating func stop(_ bytes: inout [UInt8]) {
        guard open != nil else { return }
        EventText.append("content_block_stop", to: &bytes) {
            $0.member("type", "content_block_stop")
            $0.member("index", count - 1)
        }
        open = nil
    }

    private func delta(_ type: String, _ bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void) {
        EventText.append("content_block_delta", to: &bytes) {
            $0.member("type", "content_block_delta")
            $0.member("index", max(0, count - 1))
            $0.member(
                "delta",
                object: {
                    $0.member("type", type)
                    members(&$0)
                })
        }
    }

    /// - Parameter end: The end of the answer; nil while it is not known.
    private func message(_ end: AnswerEnd?, _ json: inout JSONWriter, _ content: (inout JSONWriter) -> Void) {
        json.member("id", "msg_\(head.id)")
        json.member("type", "message")
        json.member("role", "assistant")
        json.member("model", head.model)
        json.member("content", array: content)
        if let end { json.member("stop_reason", Self.reason(end)) } else { json.null("stop_reason") }
        json.null("stop_sequence")
        json.member("usage", object: { Self.usage(end ?? AnswerEnd(), &$0) })
    }

    private static func reason(_ end: AnswerEnd) -> String {
        switch end.reason {
        case .stop: "end_turn"
        case .length: "max_tokens"
        case .calls: "tool_use"
        case .refused: "refusal"
        }
    }

    private static func usage(_ end: AnswerEnd, _ json: inout JSONWriter) {
        let cached = min(end.usage.cachedTokens ?? 0, end.promptTokens)
        json.member("input_tokens", end.promptTokens - cached)
        if end.usage.cachedTokens != nil { json.member("cache_read_input_tokens", cached) }
        json.member("output_tokens", end.completionTokens)
    }

    private static func write(_ citation: AnswerCitation, _ json: inout JSONWriter) {
        json.member("type", "search_result_location")
        json.member("cited_text", citation.text)
        json.member("title", citation.title)
        json.member("source", citation.address)
        json.member("search_result_index", citation.place)
        json.member("start_block_index", 0)
        json.member("end_block_index", 1)
    }
}
