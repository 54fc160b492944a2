import FakeOllama
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct OpenAITests {
    private func ask(_ path: String, _ body: String, method: String = "POST") async throws -> RawClient.Reading {
        try await FakeOllama.withServer { try await RawClient.ask(port: $0.port, method, path, body) }
    }

    @Test func `a chat streams events, usage and the end mark`() async throws {
        let reply = try await ask(
            "/v1/chat/completions",
            #"{"model":"llama3.2","messages":[{"role":"user","content":"a b"}],"max_tokens":2,"stream":true,"stream_options":{"include_usage":true}}"#
        )
        #expect(reply.head.contains("\r\nContent-Type: text/event-stream\r\n"))
        let id = reply.body.components(separatedBy: #""id":""#).dropFirst().first?.prefix { $0 != "\"" } ?? ""
        let start =
            #"data: {"id":"\#(id)","object":"chat.completion.chunk","created":1767225600,"model":"llama3.2","system_fingerprint":"fp_ollama","choices":"#
        #expect(
            reply.chunks == [
                start + #"[{"index":0,"delta":{"role":"assistant","content":"the "},"finish_reason":null}]}"# + "\n\n",
                start + #"[{"index":0,"delta":{"content":"gateway "},"finish_reason":null}]}"# + "\n\n",
                start + #"[{"index":0,"delta":{},"finish_reason":"length"}]}"# + "\n\n" + start
                    + #"[],"usage":{"prompt_tokens":2,"completion_tokens":2,"total_tokens":4}}"# + "\n\n"
                    + "data: [DONE]\n\n",
            ])
    }

    @Test func `a whole chat ends with a line feed and calls tools`() async throws {
        let tool =
            #"{"type":"function","function":{"name":"add_numbers","parameters":{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}}}"#
        let reply = try await ask(
            "/v1/chat/completions",
            #"{"model":"llama3.2","messages":[{"role":"user","content":[{"type":"text","text":"Add 2 and 40"}]}],"tools":[\#(tool)]}"#
        )
        #expect(reply.head.contains("Content-Type: application/json\r\n"))
        #expect(reply.body.hasSuffix("\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":1,\"total_tokens\":5}}\n"))
        #expect(
            reply.body.contains(
                #""index":0,"type":"function","function":{"name":"add_numbers","arguments":"{\"a\":2,\"b\":40}"}}]},"finish_reason":"tool_calls"}"#
            ))
    }

    @Test(arguments: [
        (
            "/v1/chat/completions", #"{"model":"none","messages":[{"role":"user","content":"x"}]}"#, 404,
            "not_found_error", "model 'none' not found"
        ),
        (
            "/v1/chat/completions", #"{"model":"llama3.2","messages":[]}"#, 400, "invalid_request_error",
            "[] is too short - 'messages'"
        ),
        ("/v1/embeddings", #"{"model":"all-minilm","input":[]}"#, 400, "invalid_request_error", "invalid input"),
        (
            "/v1/embeddings", #"{"model":"all-minilm","input":"x","encoding_format":"int"}"#, 400,
            "invalid_request_error", "Invalid value for 'encoding_format' = int. Supported values: ['float', 'base64']."
        ),
        ("/v1/completions", "{", 400, "invalid_request_error", "unexpected EOF"),
    ])
    func `errors are objects`(path: String, body: String, status: Int, type: String, message: String) async throws {
        let reply = try await ask(path, body)
        #expect(reply.head.hasPrefix("HTTP/1.1 \(status)"))
        #expect(reply.body == #"{"error":{"message":"\#(message)","type":"\#(type)","param":null,"code":null}}"# + "\n")
    }

    @Test func `a fault's error is an object, in mid-stream an empty chunk without an end mark`() async throws {
        try await FakeOllama.withServer { fake in
            let body = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"stream":true}"#
            fake.setFaults(["status=503#1", "error-line=1"])
            let refused = try await RawClient.ask(port: fake.port, "POST", "/v1/chat/completions", body)
            #expect(refused.body.hasPrefix(#"{"error":{"message":"fault 503","type":"api_error","#))
            let broken = try await RawClient.ask(port: fake.port, "POST", "/v1/chat/completions", body)
            #expect(broken.chunks.count == 2)
            #expect(broken.chunks.last?.contains(#""model":"","#) == true)
            #expect(!broken.body.contains("[DONE]"))
        }
    }

    @Test func `embeddings come as numbers and as the same numbers in base64`() async throws {
        struct List<Value: Decodable>: Decodable {
            struct Item: Decodable { var embedding: Value }
            var data: [Item]
        }
        let start = #"{"model":"all-minilm","input":["tide","moon"],"encoding_format":"#
        let numbers = try await FakeOllama.withServer { fake in
            var request = URLRequest(url: try #require(URL(string: fake.baseURL + "/v1/embeddings")))
            request.httpMethod = "POST"
            request.httpBody = Data((start + #""float"}"#).utf8)
            let floats = try JSONDecoder().decode(
                List<[Float]>.self, from: try await URLSession.shared.data(for: request).0)
            request.httpBody = Data((start + #""base64"}"#).utf8)
            let coded = try JSONDecoder().decode(
                List<Data>.self, from: try await URLSession.shared.data(for: request).0)
            return (floats.data.map(\.embedding), coded.data.map(\.embedding))
        }
        #expect(numbers.0.count == 2 && numbers.0[1].count == 384)
        for (floats, data) in zip(numbers.0, numbers.1) {
            let decoded = data.withUnsafeBytes { bytes in
                (0..<bytes.count / 4).map {
                    Float(bitPattern: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))
                }
            }
            #expect(decoded == floats)
        }
    }

    @Test func `models are listed and found`() async throws {
        let list = try await ask("/v1/models", "", method: "GET")
        #expect(
            list.body.hasPrefix(
                #"{"object":"list","data":[{"id":"llama3.2:latest","object":"model","created":1767225600,"owned_by":"library"},"#
            ))
        #expect(
            try await ask("/v1/models/llama3.2", "", method: "GET").body.hasPrefix(
                #"{"id":"llama3.2","object":"model""#))
        #expect(try await ask("/v1/models/none", "", method: "GET").head.hasPrefix("HTTP/1.1 404"))
    }

    @Test func `responses are numbered events that end with the whole`() async throws {
        let reply = try await ask(
            "/v1/responses", #"{"model":"llama3.2","input":"x","stream":true,"max_output_tokens":2}"#)
        let names = reply.chunks.joined().split(separator: "\n").filter { $0.hasPrefix("event: ") }.map {
            $0.dropFirst(7)
        }
        #expect(
            names == [
                "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
                "response.output_text.delta", "response.output_text.delta", "response.output_text.done",
                "response.content_part.done", "response.output_item.done", "response.completed",
            ])
        #expect(reply.chunks.first?.contains(#""sequence_number":0,"type":"response.created"}"#) == true)
    }
}
