import GatewayAPI

/// Answers of OpenAI's `/v1/responses`; citations are annotations.
package struct ResponsesAnswer: AnswerWriter {
    package static let streamType = "text/event-stream"
    /// What precedes the answer's id in the id of a response.
    package static let prefix = "resp_"

    /// A part of the output while it is written.
    private enum Item {
        case reasoning(String)
        case message(String, [JSONSource])
        case call(ChatCall)
    }

    private let head: AnswerHead
    private let callsInParallel: Bool
    private let previous: String?
    private var calls = CallsInStream()
    private var sequence = 0
    /// The part that is being written, without its text; nil between parts.
    private var open: Item?
    /// The text, thinking or arguments of the open part, apart from it so that a piece costs no copy of all others.
    private var written = ""
    private var probabilities: [JSONSource] = []
    /// The complete parts of the output, as JSON.
    private var done: [JSONSource] = []

    /// - Parameter previous: The id of the response that the question follows; nil for none.
    package init(_ head: AnswerHead, callsInParallel: Bool, previous: String? = nil) {
        (self.head, self.callsInParallel, self.previous) = (head, callsInParallel, previous)
    }

    package mutating func opening() -> [UInt8] {
        var bytes: [UInt8] = []
        for name in ["response.created", "response.in_progress"] {
            event(name, &bytes) { [self] in
                $0.member("response", object: { response("in_progress", nil, &$0) { _ in } })
            }
        }
        return bytes
    }

    package mutating func write(_ event: ChatEvent, to bytes: inout [UInt8]) {
        switch event {
        case .thinking(let piece):
            if case .reasoning? = open {} else { begin(.reasoning(""), &bytes) }
            written += piece
            part("response.reasoning_summary_text.delta", &bytes) { $0.member("delta", piece) }
        case .text(let piece):
            if case .message? = open {} else { begin(.message("", []), &bytes) }
            written += piece
            part("response.output_text.delta", &bytes) {
                $0.member("delta", piece)
                $0.member("logprobs", array: { _ in })
            }
        case .probabilities(let more):
            if case .message? = open {} else { begin(.message("", []), &bytes) }
            probabilities += more
        case .callPiece(let piece):
            let (index, isFirst, _) = calls.take(piece)
            if isFirst {
                begin(
                    .call(ChatCall(id: head.id(of: piece.id, at: index), name: piece.name, written: "")), &bytes)
            }
            arguments(piece.text, &bytes)
        case .call(let call):
            let (index, isBegun, hasArguments) = calls.end()
            guard !hasArguments else { return }
            if !isBegun {
                begin(.call(ChatCall(id: head.id(of: call.id, at: index), name: call.name, written: "")), &bytes)
            }
            arguments(call.written.isEmpty ? "{}" : call.written, &bytes)
        case .waiting, .sent, .usage, .ended: break
        }
    }

    package mutating func closing(_ end: AnswerEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        if case .message? = open {
            for (index, citation) in end.citations.enumerated() {
                part("response.output_text.annotation.added", &bytes) {
                    $0.member("annotation_index", index)
                    $0.member("annotation", object: { Self.write(citation, &$0) })
                }
            }
        }
        stop(end.citations, &bytes)
        let output = done
        event(Self.isWhole(end) ? "response.completed" : "response.incomplete", &bytes) { [self] in
            $0.member(
                "response",
                object: { response(Self.status(end), end, &$0) { for item in output { $0.element(item) } } })
        }
        return bytes
    }

    package mutating func broken(_ failure: AnswerFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        let output = done
        event("response.failed", &bytes) { [self] in
            $0.member(
                "response",
                object: {
                    response("failed", nil, failure: failure, &$0) { for item in output { $0.element(item) } }
                })
        }
        EventText.append("error", json: failure.json, to: &bytes)
        return bytes
    }

    package func whole(_ content: AnswerContent, _ end: AnswerEnd) -> [UInt8] {
        var items: [Item] = content.thinking.isEmpty ? [] : [.reasoning(content.thinking)]
        if !content.text.isEmpty || content.calls.isEmpty {
            items.append(.message(content.text, content.probabilities))
        }
        items += content.calls.enumerated().map { index, call in
            .call(
                ChatCall(
                    id: head.id(of: call.id, at: index), name: call.name,
                    written: call.written.isEmpty ? "{}" : call.written))
        }
        return JSONWriter.object(reserving: content.text.utf8.count + 2048) {
            response(Self.status(end), end, &$0) { json in
                for (index, item) in items.enumerated() {
                    json.object { write(item, at: index, "completed", end.citations, &$0) }
                }
            }
        }
    }

    // MARK: Parts of the output

    private mutating func begin(_ item: Item, _ bytes: inout [UInt8]) {
        stop([], &bytes)
        let index = done.count
        event("response.output_item.added", &bytes) { [self] in
            $0.member("output_index", index)
            $0.member("item", object: { write(item, at: index, "in_progress", [], isEmpty: true, &$0) })
        }
        open = item
        switch item {
        case .reasoning:
            part("response.reasoning_summary_part.added", &bytes) { $0.member("part", object: Self.summary("")) }
        case .message:
            part("response.content_part.added", &bytes) { $0.member("part", object: Self.content("", [], [])) }
        case .call: break
        }
    }

    private mutating func arguments(_ text: String, _ bytes: inout [UInt8]) {
        guard !text.isEmpty, case .call? = open else { return }
        written += text
        part("response.function_call_arguments.delta", &bytes) { $0.member("delta", text) }
    }

    private mutating func stop(_ citations: [AnswerCitation], _ bytes: inout [UInt8]) {
        if written.isEmpty { arguments("{}", &bytes) }
        guard let item = complete else { return }
        let index = done.count
        switch item {
        case .reasoning(let text):
            part("response.reasoning_summary_text.done", &bytes) { $0.member("text", text) }
            part("response.reasoning_summary_part.done", &bytes) { $0.member("part", object: Self.summary(text)) }
        case .message(let text, let probabilities):
            part("response.output_text.done", &bytes) {
                $0.member("text", text)
                $0.member("logprobs", array: { for entry in probabilities { $0.element(entry) } })
            }
            part("response.content_part.done", &bytes) {
                $0.member("part", object: Self.content(text, citations, probabilities))
            }
        case .call(let call):
            part("response.function_call_arguments.done", &bytes) {
                $0.member("name", call.name)
                $0.member("arguments", call.written)
            }
        }
        open = nil
        (written, probabilities) = ("", [])
        let json = JSONWriter.object { write(item, at: index, "completed", citations, &$0) }
        guard let source = JSONSource(parsing: String(decoding: json, as: UTF8.self)) else { return }
        event("response.output_item.done", &bytes) {
            $0.member("output_index", index)
            $0.member("item", source)
        }
        done.append(source)
    }

    /// The open part with its text.
    private var complete: Item? {
        switch open {
        case nil: return nil
        case .reasoning?: return .reasoning(written)
        case .message?: return .message(written, probabilities)
        case .call(var call)?:
            call.written = written
            return .call(call)
        }
    }

    private func id(_ item: Item, _ index: Int) -> String {
        switch item {
        case .reasoning: "rs_\(head.id)_\(index)"
        case .message: "msg_\(head.id)_\(index)"
        case .call: "fc_\(head.id)_\(index)"
        }
    }

    private func write(
        _ item: Item, at index: Int, _ status: String, _ citations: [AnswerCitation], isEmpty: Bool = false,
        _ json: inout JSONWriter
    ) {
        json.member("id", id(item, index))
        switch item {
        case .reasoning(let text):
            json.member("type", "reasoning")
            json.member("summary", array: { if !isEmpty { $0.object(Self.summary(text)) } })
        case .message(let text, let probabilities):
            json.member("type", "message")
            json.member("role", "assistant")
            json.member("status", status)
            json.member("content", array: { if !isEmpty { $0.object(Self.content(text, citations, probabilities)) } })
        case .call(let call):
            json.member("type", "function_call")
            json.member("status", status)
            json.member("call_id", call.id)
            json.member("name", call.name)
            json.member("arguments", call.written)
        }
    }

    private static func summary(_ text: String) -> (inout JSONWriter) -> Void {
        {
            $0.member("type", "summary_text")
            $0.member("text", text)
        }
    }

    private static func content(
        _ text: String, _ citations: [AnswerCitation], _ probabilities: [JSONSource]
    ) -> (inout JSONWriter) -> Void {
        { json in
            json.member("type", "output_text")
            json.member("text", text)
            json.member(
                "annotations", array: { json in for citation in citations { json.object { write(citation, &$0) } } })
            json.member("logprobs", array: { for entry in probabilities { $0.element(entry) } })
        }
    }

    private static func write(_ citation: AnswerCitation, _ json: inout JSONWriter) {
        json.member("type", "url_citation")
        citation.writePage(&json)
    }

    // MARK: Events

    /// An event about the part that is being written.
    private mutating func part(_ name: String, _ bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void) {
        guard let open else { return }
        let (index, id) = (done.count, id(open, done.count))
        event(name, &bytes) {
            $0.member("item_id", id)
            $0.member("output_index", index)
            switch open {
            case .reasoning: $0.member("summary_index", 0)
            case .message: $0.member("content_index", 0)
            case .call: break
            }
            members(&$0)
        }
    }

    private mutating func event(_ name: String, _ bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void) {
        let number = sequence
        sequence += 1
        EventText.append(name, to: &bytes) {
            $0.member("type", name)
            $0.member("sequence_number", number)
            members(&$0)
        }
    }

    // MARK: The response

    private func response(
        _ status: String, _ end: AnswerEnd?, failure: AnswerFailure? = nil, _ json: inout JSONWriter,
        _ output: (inout JSONWriter) -> Void
    ) {
        json.member("id", Self.prefix + head.id)
        json.member("object", "response")
        json.member("created_at", head.created)
        json.member("status", status)
        if let failure {
            json.member(
                "error",
                object: {
                    $0.member("code", failure.code)
                    $0.member("message", failure.message)
                })
        } else {
            json.null("error")
        }
        if let end, !Self.isWhole(end) {
            json.member(
                "incomplete_details",
                object: { $0.member("reason", end.reason == .length ? "max_output_tokens" : "content_filter") })
        } else {
            json.null("incomplete_details")
        }
        json.null("instructions")
        json.member("model", head.model)
        json.member("output", array: output)
        json.member("parallel_tool_calls", callsInParallel)
        if let previous { json.member("previous_response_id", previous) } else { json.null("previous_response_id") }
        json.null("temperature")
        json.member("tool_choice", "auto")
        json.member("tools", array: { _ in })
        json.null("top_p")
        json.member("metadata", object: { _ in })
        guard let end else { return json.null("usage") }
        json.member("usage", object: { Self.usage(end, &$0) })
    }

    private static func isWhole(_ end: AnswerEnd) -> Bool { end.reason == .stop || end.reason == .calls }

    private static func status(_ end: AnswerEnd) -> String { isWhole(end) ? "completed" : "incomplete" }

    private static func usage(_ end: AnswerEnd, _ json: inout JSONWriter) {
        json.member("input_tokens", end.promptTokens)
        json.member("input_tokens_details", object: { $0.member("cached_tokens", end.usage.cachedTokens ?? 0) })
        json.member("output_tokens", end.completionTokens)
        json.member("output_tokens_details", object: { $0.member("reasoning_tokens", end.usage.thinkingTokens ?? 0) })
        json.member("total_tokens", end.totalTokens)
    }
}
