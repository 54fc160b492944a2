import NIOCore
import Testing

@testable import Upstream

/// What an answer cost, read from its end.
@Suite struct AnswerTokenCounts {
    static func count(
        _ path: String, _ answer: String, isStream: Bool, isWhole: Bool = true, request: Int = 400, piece: Int = 7
    ) -> [Int] {
        for size in [piece, 1 << 20] {
            var tokens = AnswerTokens(path: path, requestBytes: request)
            let bytes = Array(answer.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                tokens.push(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            }
            let count = tokens.count(isStream: isStream, isWhole: isWhole)
            if size > piece { return [count.prompt, count.completion] }
        }
        return []
    }

    @Test func `Ollama's counts are taken from the last line, whatever a model writes`() {
        let lie = #"{"response":"\"eval_count\":99,\"prompt_eval_count\":99","done":false}"# + "\n"
        let end =
            #"{"response":"","done":true,"done_reason":"stop","context":[1,2],"prompt_eval_count":12,"eval_count":34}"#
        #expect(Self.count("/api/generate", lie + lie + end + "\n", isStream: true) == [12, 34])
        #expect(Self.count("/api/chat", end, isStream: false) == [12, 34])
        // Cut before its end: a token for each line.
        #expect(Self.count("/api/generate", lie + lie + lie, isStream: true, isWhole: false) == [0, 3])
        let load = #"{"model":"m","response":"","done":true,"done_reason":"load"}"#
        #expect(Self.count("/api/generate", load + "\n", isStream: true) == [0, 0])
        #expect(Self.count("/api/generate", load, isStream: false) == [0, 0])
        #expect(Self.count("/api/embed", #"{"embeddings":[[1]],"prompt_eval_count":5}"#, isStream: false) == [5, 0])
        #expect(Self.count("/api/embeddings", #"{"embedding":[1]}"#, isStream: false) == [100, 0])
    }

    @Test func `OpenAI's and Anthropic's usage is found, and what has none is estimated`() {
        let whole = #"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#
        #expect(Self.count("/v1/chat/completions", whole, isStream: false) == [3, 4])
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"
        let usage = "data: \(whole)\n\ndata: [DONE]\n\n"
        #expect(Self.count("/v1/chat/completions", event + event + usage, isStream: true) == [3, 4])
        #expect(Self.count("/v1/chat/completions", event + event + "data: [DONE]\n\n", isStream: true) == [100, 3])
        #expect(
            Self.count("/v1/chat/completions", event, isStream: true, isWhole: false, request: 1 << 20) == [4096, 1])
        let start = "event: message_start\ndata: {\"message\":{\"usage\":{\"input_tokens\":8,\"output_tokens\":0}}}\n\n"
        let delta = "event: content_block_delta\ndata: {\"text\":\"y\"}\n\n"
        let last = "event: message_delta\ndata: {\"usage\":{\"output_tokens\":2}}\n\n"
        let filler = String(repeating: delta, count: 3000)
        #expect(Self.count("/v1/messages", start + filler + last, isStream: true, piece: 997) == [8, 2])
        let embeddings = #"{"data":[],"model":"m","usage":{"prompt_tokens":6,"total_tokens":6}}"#
        #expect(Self.count("/v1/embeddings", embeddings, isStream: false) == [6, 0])
    }

    @Test func `no more of a long answer is kept than its end`() {
        var tokens = AnswerTokens(path: "/api/generate", requestBytes: 0)
        let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1000)
        for _ in 0..<10_000 { tokens.push(piece) }
        tokens.push(ByteBuffer(string: #""eval_count":7}"#))
        #expect(tokens.keptBytes <= AnswerTokens.tailLimit + 1000)
        #expect(tokens.count(isStream: true, isWhole: true).completion == 7)
    }
}
