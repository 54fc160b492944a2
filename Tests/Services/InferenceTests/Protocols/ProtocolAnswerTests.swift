import GatewayAPI
import NIOCore
import TestSupport
import Testing

@testable import Inference

/// Answers in the protocols of clients: the readers for providers read what the writers wrote.
@Suite struct ProtocolAnswers {
    private static let head = AnswerHead(
        id: "a1", model: "p/m", created: 1_800_000_000, createdText: "2027-01-15T08:00:00Z")
    private static let forms: [ChatProtocol] = [.ollamaChat, .completions, .messages]

    private func writer(_ form: ChatProtocol) -> any AnswerWriter {
        var request = ClientRequest(ModelChatRequest(model: "p/m", turns: []), streams: true)
        request.givesUsage = true
        return form.writer(Self.head, for: request)
    }

    private func stream(_ form: ChatProtocol, _ events: [ChatEvent], _ end: AnswerEnd) -> [UInt8] {
        var writer = writer(form)
        var bytes = writer.opening()
        for event in events { writer.write(event, to: &bytes) }
        return bytes + writer.closing(end)
    }

    private func read(_ form: ChatProtocol, _ bytes: [UInt8], cut: Int? = nil) -> ChatRecording {
        let pieces = cut.map { [Array(bytes[..<$0]), Array(bytes[$0...])] } ?? [bytes]
        return switch form {
        case .completions: ChatRecording(OpenAIChatStream(provider: "p"), pieces)
        case .messages: ChatRecording(AnthropicChatStream(provider: "p"), pieces)
        default: ChatRecording(OllamaChatStream(), pieces)
        }
    }

    @Test(.slow, arguments: forms) func `a stream is read as it was written, over any cut`(form: ChatProtocol) throws {
        var random = SeededGenerator(7)
        for _ in 0..<100 {
            let (events, end) = Self.answer(&random)
            let bytes = stream(form, events, end)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let (whole, parts) = (read(form, bytes), read(form, bytes, cut: cut))
            try #require(whole.error == nil && whole.events == parts.events)
            var content = AnswerContent()
            for event in events { content.take(event) }
            #expect(whole.text == content.text && whole.thinking == content.thinking)
            #expect(whole.calls == content.calls)
            #expect(whole.usage?.promptTokens == end.usage.promptTokens)
            #expect(whole.usage?.completionTokens == end.usage.completionTokens)
            // Ollama has two words only.
            let reason: ChatEnd.Reason =
                form != .ollamaChat
                ? end.reason : end.reason == .length ? .length : content.calls.isEmpty ? .stop : .calls
            #expect(whole.end?.reason == reason)
        }
    }

    @Test(.slow) func `the whole response ends its stream`() throws {
        var random = SeededGenerator(8)
        for _ in 0..<100 {
            let (events, end) = Self.answer(&random)
            var source = ServerSentEvents()
            var (seen, error) = source.push(.init(bytes: stream(.responses, events, end)))
            seen += source.finish().events
            #expect(error == nil)
            error = nil
            let values = try seen.map { try #require(try JSONDocument(parsing: $0.data).value) }
            for (index, value) in values.enumerated() {
                try #require(value["sequence_number"] == .integer(Int64(index)))
                try #require(value["type"]?.text == seen[index].name)
            }
            var content = AnswerContent()
            for event in events { content.take(event) }
            let deltas = { (name: String) in
                values.filter { $0["type"]?.text == name }.compactMap { $0["delta"]?.text }.joined()
            }
            #expect(deltas("response.output_text.delta") == content.text)
            #expect(deltas("response.reasoning_summary_text.delta") == content.thinking)
            #expect(deltas("response.function_call_arguments.delta") == content.calls.map(\.written).joined())
            let last = try #require(values.last?["response"])
            #expect(
                last["status"]?.text == (end.reason == .length || end.reason == .refused ? "incomplete" : "completed"))
            let items = last["output"]?.elements ?? []
            #expect(
                items == values.filter { $0["type"]?.text == "response.output_item.done" }.compactMap { $0["item"] })
            #expect(
                items.filter { $0["type"]?.text == "function_call" }.compactMap { $0["arguments"]?.text }
                    == content.calls.map(\.written))
            let whole = try #require(
                try JSONDocument(parsing: writer(.responses).whole(content, end)).value?["output"]?.elements)
            let texts = { (items: [JSONValue]) in
                items.flatMap { $0["content"]?.elements ?? [] }.compactMap { $0["text"]?.text }.joined()
            }
            #expect(texts(whole) == texts(items))
        }
    }

    @Test func `whole answers have the shapes of their protocols`() throws {
        var content = AnswerContent()
        for event: ChatEvent in [
            .thinking("Hm"), .text("Grüße"), .call(ChatCall(id: "", name: "f", written: #"{"z":1,"a":2}"#)),
        ] { content.take(event) }
        var end = AnswerEnd()
        end.reason = .calls
        end.usage = ChatUsage(promptTokens: 7, completionTokens: 5, cachedTokens: 4, thinkingTokens: 2)
        (end.total, end.first) = (10, 3)
        func whole(_ form: ChatProtocol) -> String { String(decoding: writer(form).whole(content, end), as: UTF8.self) }
        #expect(
            whole(.ollamaChat)
                == #"{"model":"p/m","created_at":"2027-01-15T08:00:00Z","message":{"role":"assistant","content":"Grüße","thinking":"Hm","tool_calls":[{"function":{"name":"f","arguments":{"z":1,"a":2}}}]},"done":true,"done_reason":"stop","total_duration":10,"load_duration":0,"prompt_eval_count":7,"prompt_eval_duration":3,"eval_count":5,"eval_duration":7}"#
        )
        #expect(
            whole(.completions)
                == #"{"id":"chatcmpl-a1","object":"chat.completion","created":1800000000,"model":"p/m","choices":[{"index":0,"message":{"role":"assistant","content":"Grüße","reasoning_content":"Hm","refusal":null,"annotations":[],"tool_calls":[{"id":"call_a1_0","type":"function","function":{"name":"f","arguments":"{\"z\":1,\"a\":2}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}"#
        )
        #expect(
            whole(.messages)
                == #"{"id":"msg_a1","type":"message","role":"assistant","model":"p/m","content":[{"type":"thinking","thinking":"Hm","signature":""},{"type":"text","text":"Grüße"},{"type":"tool_use","id":"call_a1_0","name":"f","input":{"z":1,"a":2}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":5}}"#
        )
    }

    @Test func `calls without arguments have an empty object, wherever they stand`() throws {
        let calls = (0..<3).map { ChatCall(id: "c\($0)", name: "f", written: $0 == 1 ? #"{"a":1}"# : "") }
        var events: [ChatEvent] = calls.map {
            .callPiece(ChatCallPiece(index: Int($0.id.dropFirst()) ?? 0, id: $0.id, name: "f", text: $0.written))
        }
        events += [.text("so")] + calls.map(ChatEvent.call)
        var end = AnswerEnd()
        end.reason = .calls
        let arguments: [JSONValue] = [.object([:]), .object(["a": .integer(1)]), .object([:])]
        for form in Self.forms {
            let reading = read(form, stream(form, events, end))
            #expect(reading.error == nil && reading.calls.map(\.arguments) == arguments, "\(form.path)")
            #expect(reading.text == "so")
        }
        for form in [ChatProtocol.completions, .responses] {
            let text = String(decoding: stream(form, events, end), as: UTF8.self)
            let name = form == .responses ? #""delta":"{}""# : #""arguments":"{}""#
            #expect(text.split(separator: name, omittingEmptySubsequences: false).count == 3, "\(text)")
        }
    }

    @Test func `probabilities go with the next text`() throws {
        let entry = try #require(JSONSource(parsing: #"{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}"#))
        var end = AnswerEnd()
        end.usage = ChatUsage(promptTokens: 1, completionTokens: 1)
        for form in [ChatProtocol.ollamaChat, .completions] {
            let reading = read(form, stream(form, [.probabilities([entry]), .text("a"), .text("b")], end))
            #expect(reading.events.prefix(3) == [.probabilities([entry]), .text("a"), .text("b")])
        }
    }

    @Test func `a broken stream ends in the protocol's own way`() {
        let failure = AnswerFailure(json: Array(#"{"error":"bad"}"#.utf8), code: "upstream_error", message: "bad")
        func broken(_ form: ChatProtocol) -> String {
            var writer = writer(form)
            return String(decoding: writer.broken(failure), as: UTF8.self)
        }
        #expect(broken(.ollamaChat) == "{\"error\":\"bad\"}\n")
        #expect(broken(.completions) == "data: {\"error\":\"bad\"}\n\n")
        #expect(broken(.messages) == "event: error\ndata: {\"error\":\"bad\"}\n\n")
        #expect(broken(.responses).hasPrefix("event: response.failed\n"))
        #expect(broken(.responses).hasSuffix("event: error\ndata: {\"error\":\"bad\"}\n\n"))
    }

    /// A random answer: its events as a provider's parser gives them, and its end.
    private static func answer(_ random: inout SeededGenerator) -> ([ChatEvent], AnswerEnd) {
        let words = ["Grüße ", "🎻", "\u{2028}", "\n", "\"", "\\", "data: x\n\n", "e\u{301}"]
        func flip() -> Bool { Bool.random(using: &random) }
        func word() -> String { words.randomElement(using: &random) ?? "" }
        var events: [ChatEvent] = [.waiting(place: 1), .sent]
        if flip() { events += (0..<3).map { _ in .thinking(word()) } }
        if flip() { events += (0..<4).map { _ in .text(word()) } }
        let count = Int.random(in: 0...3, using: &random)
        for index in 0..<count {
            let call = ChatCall(id: "c\(index)", name: "f", written: #"{"z":"\#(index) 日本","a":[1]}"#)
            if flip() {
                events.append(.callPiece(ChatCallPiece(index: index, id: call.id, name: "f", text: "")))
                if flip() {
                    for piece in [call.written.prefix(5), call.written.dropFirst(5)] {
                        events.append(
                            .callPiece(ChatCallPiece(index: index, id: call.id, name: "f", text: String(piece))))
                    }
                }
                events.append(.call(call))
            } else {
                events.append(.call(call))
            }
        }
        var end = AnswerEnd()
        end.reason = count > 0 ? .calls : [.stop, .length, .refused].randomElement(using: &random) ?? .stop
        end.usage = ChatUsage(promptTokens: 7, completionTokens: 5, cachedTokens: flip() ? 4 : nil)
        events += [.usage(end.usage), .ended(ChatEnd(end.reason))]
        return (events, end)
    }
}
