import GatewayAPI

/// Answers of Ollama's `/api/chat` and `/api/generate`: one object of JSON a line.
package struct OllamaAnswer: AnswerWriter {
    package static let streamType = "application/x-ndjson"

    private let head: AnswerHead
    private let isChat: Bool
    /// What precedes the content of every line.
    private let start: [UInt8]
    /// The probabilities of the next text.
    private var probabilities: [JSONSource] = []

    package init(_ head: AnswerHead, isChat: Bool) {
        (self.head, self.isChat) = (head, isChat)
        let object = JSONWriter.object {
            $0.member("model", head.model)
            $0.member("created_at", head.createdText)
        }
        start = object.dropLast()
    }

    package func opening() -> [UInt8] { [] }

    package mutating func write(_ event: ChatEvent, to bytes: inout [UInt8]) {
        switch event {
        case .text(let piece):
            line(&bytes) { content(piece, &$0) }
            probabilities = []
        case .thinking(let piece): line(&bytes) { content("", thinking: piece, &$0) }
        case .call(let call): line(&bytes) { content("", calls: [call], &$0) }
        case .probabilities(let more): probabilities += more
        case .waiting, .sent, .callPiece, .usage, .ended: break
        }
    }

    package func closing(_ end: AnswerEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        line(&bytes, end) { content("", &$0) }
        return bytes
    }

    package func broken(_ failure: AnswerFailure) -> [UInt8] { failure.json + [0x0A] }

    package func whole(_ content: AnswerContent, _ end: AnswerEnd) -> [UInt8] {
        object(probabilities: content.probabilities, end) {
            self.content(content.text, thinking: content.thinking, calls: content.calls, &$0)
        }
    }

    /// The answer to a request without a question, which asks to load or unload a model.
    package func loaded(_ reason: String) -> [UInt8] {
        JSONWriter.object(after: start) { json in
            content("", &json)
            json.member("done", true)
            json.member("done_reason", reason)
        }
    }

    private func content(_ text: String, thinking: String = "", calls: [ChatCall] = [], _ json: inout JSONWriter) {
        guard isChat else {
            json.member("response", text)
            if !thinking.isEmpty { json.member("thinking", thinking) }
            return
        }
        json.member(
            "message",
            object: {
                $0.member("role", "assistant")
                $0.member("content", text)
                if !thinking.isEmpty { $0.member("thinking", thinking) }
                if !calls.isEmpty { $0.member("tool_calls", array: { for call in calls { Self.write(call, &$0) } }) }
            })
    }

    private static func write(_ call: ChatCall, _ json: inout JSONWriter) {
        json.object {
            if !call.id.isEmpty { $0.member("id", call.id) }
            $0.member(
                "function",
                object: {
                    $0.member("name", call.name)
                    $0.member("arguments", call.argumentsObject)
                })
        }
    }

    private func line(_ bytes: inout [UInt8], _ end: AnswerEnd? = nil, _ content: (inout JSONWriter) -> Void) {
        bytes += object(probabilities: probabilities, end, content)
        bytes.append(0x0A)
    }

    private func object(
        probabilities: [JSONSource], _ end: AnswerEnd?, _ content: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        JSONWriter.object(after: start) { json in
            content(&json)
            if !probabilities.isEmpty {
                json.member("logprobs", array: { for entry in probabilities { $0.element(entry) } })
            }
            json.member("done", end != nil)
            guard let end else { return }
            json.member("done_reason", end.reason == .length ? "length" : "stop")
            if !isChat { json.member("context", array: { _ in }) }
            json.member("total_duration", end.total)
            json.member("load_duration", end.usage.loadTime.map { nanoseconds($0) } ?? 0)
            json.member("prompt_eval_count", end.promptTokens)
            json.member("prompt_eval_duration", min(end.first, end.total))
            json.member("eval_count", end.completionTokens)
            json.member("eval_duration", max(0, end.total - end.first))
        }
    }

    private func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, fraction) = time.components
        return min(max(0, seconds), 1_000_000) * 1_000_000_000 + fraction / 1_000_000_000
    }
}
