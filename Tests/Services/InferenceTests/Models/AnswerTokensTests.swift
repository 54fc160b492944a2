import NIOCore
import TestSupport
import Testing

@testable import Inference

/// What an answer cost, read while it passes.
@Suite struct AnswerTokenCounts {
    static func count(
        _ path: String, _ answer: String, _ form: AnswerTokens.Form, isWhole: Bool = true, request: Int = 400
    ) -> [Int] {
        var found: Set<[Int]> = []
        for size in [1, 7, 997, 1 << 20] {
            var tokens = AnswerTokens(path: path, requestBytes: request, form: form)
            let bytes = Array(answer.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                tokens.push(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            }
            let count = tokens.count(isWhole: isWhole)
            found.insert([count.prompt, count.completion])
        }
        // However the answer is cut into pieces, it costs the same.
        return found.count == 1 ? found.first ?? [] : []
    }

    @Test func `Ollama's counts are those of the outermost object, whatever a model writes`() {
        let lie = #"{"response":"\"eval_count\":99,\"prompt_eval_count\":99","done":false}"# + "\n"
        let end =
            #"{"response":"","done":true,"done_reason":"stop","context":[1,2],"prompt_eval_count":12,"eval_count":34}"#
        #expect(Self.count("/api/generate", lie + lie + end + "\n", .lines) == [12, 34])
        #expect(Self.count("/api/chat", end, .whole) == [12, 34])
        let call =
            #"{"message":{"tool_calls":[{"function":{"arguments":{"eval_count":1,"prompt_eval_count":1}}}]},"#
            + #""eval_count":34,"prompt_eval_count" : 12}"#
        #expect(Self.count("/api/chat", call, .whole) == [12, 34])
        #expect(Self.count("/api/embed", #"{"embeddings":[[1]],"prompt_eval_count":5}"#, .whole) == [5, 0])
    }

    @Test(.slow) func `counts are found however much stands behind them`() {
        let logprobs = String(
            repeating: #"{"token":"}{\"","logprob":-0.5,"top_logprobs":[{"token":"x"}]},"#, count: 3000)
        let whole = #"{"response":"x","prompt_eval_count":12,"eval_count":1900,"logprobs":[\#(logprobs)0]}"#
        #expect(Self.count("/api/generate", whole, .whole) == [12, 1900])
        #expect(Self.count("/api/generate", whole + "\n", .lines) == [12, 1900])
        let usage = #"{"usage":{"prompt_tokens":3,"completion_tokens":4},"choices":[{"logprobs":[\#(logprobs)0]}]}"#
        #expect(Self.count("/v1/chat/completions", usage, .whole) == [3, 4])
    }

    @Test(.slow) func `an answer without counts costs an estimate, never nothing`() {
        let text = String(repeating: "x", count: 393)
        #expect(Self.count("/api/generate", #"{"r":"\#(text)"}"#, .whole) == [100, 100])
        #expect(Self.count("/api/generate", #"{"r":"\#(text)"}"#, .whole, request: 1) == [1, 100])
        #expect(Self.count("/api/embeddings", #"{"embedding":[1]}"#, .whole) == [100, 0])
        #expect(Self.count("/api/embed", #"{"embeddings":[]}"#, .whole) == [100, 0])
        #expect(Self.count("/v1/embeddings", #"{"data":[]}"#, .whole) == [100, 0])
        #expect(Self.count("/api/generate", #"{"eval_count":"9","prompt_eval_count":-5}"#, .whole) == [100, 10])
        #expect(
            Self.count("/api/generate", #"{"eval_count":1.5,"prompt_eval_count":1234567890123}"#, .whole) == [100, 13])
        // An error of the upstream that says nothing of tokens.
        #expect(Self.count("/v1/images/generations", "", .whole, isWhole: false) == [100, 0])
        let large = String(repeating: "x", count: 1 << 20)
        #expect(
            Self.count("/v1/images/generations", #"{"b64":"\#(large)"}"#, .whole, request: 1 << 20) == [4096, 4096])
    }

    @Test func `what was cut costs no less than its lines or events`() {
        let line = #"{"response":"x","done":false}"# + "\n"
        #expect(Self.count("/api/generate", line + line + line, .lines, isWhole: false) == [100, 3])
        #expect(Self.count("/api/generate", line + line + line, .lines) == [100, 3])
        let start = "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":8,\"output_tokens\":1}}}\n\n"
        let delta = "event: content_block_delta\ndata: {\"text\":\"y\"}\n\n"
        #expect(Self.count("/v1/messages", start + delta + delta, .events, isWhole: false) == [8, 3])
    }

    @Test func `only an answer that says that it loaded or unloaded a model is free`() {
        for reason in ["load", "unload"] {
            let load = #"{"model":"m","response":"","done":true,"done_reason":"\#(reason)"}"#
            #expect(Self.count("/api/generate", load + "\n", .lines) == [0, 0])
            #expect(Self.count("/api/generate", load, .whole) == [0, 0])
            #expect(Self.count("/api/generate", load, .whole, isWhole: false)[0] == 100)
        }
        let lie = #"{"response":"\"done_reason\":\"load\"","message":{"done_reason":"load"},"done_reason":"stop"}"#
        #expect(Self.count("/api/generate", lie, .whole)[0] == 100)
        let counted = #"{"done_reason":"load","eval_count":3}"#
        #expect(Self.count("/api/generate", counted, .whole) == [100, 3])
    }

    @Test(.slow) func `OpenAI's and Anthropic's usage is found, and what has none is estimated`() {
        let whole = #"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#
        #expect(Self.count("/v1/chat/completions", whole, .whole) == [3, 4])
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"
        let usage = "data: \(whole)\r\n\r\ndata: [DONE]\n\n"
        #expect(Self.count("/v1/chat/completions", event + event + usage, .events) == [3, 4])
        #expect(Self.count("/v1/chat/completions", event + event + "data: [DONE]\n\n", .events) == [100, 3])
        #expect(
            Self.count("/v1/chat/completions", event, .events, isWhole: false, request: 1 << 20) == [4096, 1])
        let start = "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":8,\"output_tokens\":0}}}\n\n"
        let delta = "event: content_block_delta\ndata: {\"text\":\"y\"}\n\n"
        let last = "event: message_delta\ndata: {\"usage\":{\"output_tokens\":2}}\n\n"
        let filler = String(repeating: delta, count: 3000)
        #expect(Self.count("/v1/messages", start + filler + last, .events) == [8, 2])
        let response =
            "data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}}\n\n"
        #expect(Self.count("/v1/responses", filler + response, .events) == [5, 6])
        let embeddings = #"{"data":[],"model":"m","usage":{"prompt_tokens":6,"total_tokens":6}}"#
        #expect(Self.count("/v1/embeddings", embeddings, .whole) == [6, 0])
    }

    @Test func `a broken line does not hide the counts of the next one`() {
        let end = #"{"done":true,"prompt_eval_count":12,"eval_count":34}"# + "\n"
        for broken in ["{\"a\":\"\n", "}}}]\n", "{\"a\":[[{\n", "data\n", "\"\n", "{\"eval_count\":\n"] {
            #expect(Self.count("/api/generate", broken + end, .lines) == [12, 34], "\(broken)")
        }
    }

    @Test func `bytes that are no JSON harm nothing`() {
        var random = SeededGenerator(5)
        let alphabet = Array("{}[]\",:\\ usage eval_count 019-.\n\r\u{1}data".utf8)
        for round in 0..<Gear.rounds(20_000) {
            let form: AnswerTokens.Form = [.whole, .lines, .events][round % 3]
            var tokens = AnswerTokens(path: round % 2 == 0 ? "/api/chat" : "/v1/messages", requestBytes: 8, form: form)
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            tokens.push(ByteBuffer(bytes: bytes))
            let count = tokens.count(isWhole: false)
            #expect(count.prompt >= 0 && count.completion >= 0)
        }
    }
}
