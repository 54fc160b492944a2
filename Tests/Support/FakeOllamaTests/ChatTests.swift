import FakeOllama
import Foundation
import TestSupport
import Testing

@Suite struct ChatTests {
    private let tool =
        #"{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"unit":{"enum":["C","F"]}}}}}"#

    private func ask(_ path: String, _ body: String) async throws -> RawClient.Reading {
        try await FakeOllama.withServer { try await RawClient.ask(port: $0.port, "POST", path, body) }
    }

    @Test func `a message that asks for a tool calls it, and its result is answered in words`() async throws {
        let start = #"{"model":"llama3.2","stream":false,"tools":[\#(tool)],"messages":["#
        let call = try await ask("/api/chat", start + #"{"role":"user","content":"Weather in Oslo for 3 days"}]}"#)
        let id = call.body.components(separatedBy: #""id":""#).last?.prefix(13) ?? ""
        #expect(
            call.body.contains(
                #""message":{"role":"assistant","content":"","tool_calls":[{"id":"\#(id)","function":{"index":0,"name":"get_weather","arguments":{"city":"Oslo","days":3,"unit":"C"}}}]},"done":true,"done_reason":"stop","#
            ))
        let answer = try await ask("/api/chat", start + #"{"role":"tool","content":"sunny"}]}"#)
        #expect(answer.body.contains(#""message":{"role":"assistant","content":"The tool says: sunny"},"#))
        let plain = try await ask("/api/chat", start + #"{"role":"user","content":"Hello"}]}"#)
        #expect(!plain.body.contains("tool_calls"))
    }

    @Test func `a schema makes the answer, in a stream too`() async throws {
        let body =
            #"{"model":"llama3.2","prompt":"x","format":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}}"#
        let reply = try await ask("/api/generate", body)
        let pieces = try reply.chunks.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(pieces.compactMap { $0?["response"] as? String }.joined() == #"{"name":"name","age":1}"#)
        #expect(pieces.count > 3)
    }

    @Test func `a thinking model thinks unless told not to`() async throws {
        let start =
            #"{"model":"qwen3:0.6b","messages":[{"role":"user","content":"x"}],"options":{"num_predict":1},"stream":false"#
        let thought = try await ask("/api/chat", start + "}")
        #expect(thought.body.contains(#""content":"the ","thinking":"The question asks for thought."},"#))
        let plain = try await ask("/api/chat", start + #","think":false}"#)
        #expect(!plain.body.contains("thinking"))
    }

    @Test(arguments: [
        ("/api/chat", #"{"model":"none","messages":[]}"#, 404, "model 'none' not found"),
        ("/api/chat", #"{"model":"all-minilm"}"#, 400, #"\"all-minilm\" does not support chat"#),
        ("/api/generate", #"{"model":"all-minilm"}"#, 400, #"\"all-minilm\" does not support generate"#),
        (
            "/api/chat", #"{"model":"llama3.2","messages":[],"think":true}"#, 400,
            #"\"llama3.2\" does not support thinking"#
        ),
        (
            "/api/generate", #"{"model":"gemma3:270m","prompt":"x","suffix":"y"}"#, 400,
            "registry.ollama.ai/library/gemma3:270m does not support insert"
        ),
        (
            "/api/generate", #"{"model":"llama3.2","prompt":"x","raw":true,"system":"y"}"#, 400,
            "raw mode does not support template, system, or context"
        ),
        (
            "/api/generate", #"{"model":"llama3.2","prompt":"x","keep_alive":"1x"}"#, 400,
            #"time: invalid duration \"1x\""#
        ),
        (
            "/api/generate", #"{"model":5}"#, 400,
            "json: cannot unmarshal number into Go struct field GenerateRequest.model of type string"
        ),
        ("/api/generate", "", 400, "missing request body"), ("/api/generate", "{", 400, "unexpected EOF"),
        (
            "/api/generate", #"{"model":"llama3.2","prompt":"x","format":"xml"}"#, 500,
            #"invalid format: \"\\\"xml\\\"\"; expected \"json\" or a valid JSON Schema object"#
        ),
        ("/api/embed", #"{"model":"all-minilm","input":5}"#, 400, "invalid input type"),
        ("/api/show", "{}", 400, "model is required"),
    ])
    func `errors are Ollama's`(path: String, body: String, status: Int, message: String) async throws {
        let reply = try await ask(path, body)
        #expect(reply.head.hasPrefix("HTTP/1.1 \(status)"))
        #expect(reply.body == #"{"error":"\#(message)"}"#)
    }

    @Test func `embeddings are cut, counted, and refused when too long`() async throws {
        var options = FakeOllama.Options()
        options.contextLength = 4
        options.dimensions = 8
        try await FakeOllama.withServer(options) { fake in
            func ask(_ path: String, _ body: String) async throws -> String {
                try await RawClient.ask(port: fake.port, "POST", path, #"{"model":"all-minilm",\#(body)}"#).body
            }
            #expect(try await ask("/api/embed", #""input":[]"#) == #"{"model":"all-minilm","embeddings":[]}"#)
            let long = try await ask("/api/embed", #""input":"a tide in the morning","dimensions":6"#)
            #expect(long.hasSuffix(#""total_duration":1001000,"load_duration":1000,"prompt_eval_count":4}"#))
            let object = try JSONSerialization.jsonObject(with: Data(long.utf8)) as? [String: Any]
            let vector = try #require((object?["embeddings"] as? [[Double]])?.first)
            #expect(vector.count == 6)
            #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-5)
            let same = try await ask("/api/embed", #""input":"a tide in the","dimensions":6"#)
            #expect(same == long)
            let refused = try await ask("/api/embed", #""input":"a tide in the morning","truncate":false"#)
            #expect(refused == #"{"error":"the input length exceeds the context length"}"#)
            let former = try await ask("/api/embeddings", #""prompt":"tide""#)
            let values = try JSONSerialization.jsonObject(with: Data(former.utf8)) as? [String: [Double]]
            let norm = try #require(values?["embedding"]).reduce(0) { $0 + $1 * $1 }
            #expect(norm > 2)
            #expect(try await ask("/api/embeddings", #""prompt":"""#) == #"{"embedding":[]}"#)
        }
    }
}
