import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// Scores of texts for clients, whatever form the model's server speaks; and estimates of a prompt's tokens.
@Suite struct RerankRoutes {
    private func with(
        _ style: FakeProvider.RerankStyle = .usual, settings: [String: String] = [:], reply: String? = nil,
        _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        options.rerank = style
        options.rerankReply = reply
        try await FakeProvider.withServer(options) { provider in
            let providers = #"{"home": {"kind": "openai", "url": "\#(provider.baseURL)/v1", "local": true}}"#
            try await LiveGateway.with(settings: settings.merging(["providers": providers]) { mine, _ in mine }) {
                try await body($0, provider)
            }
        }
    }

    private static let body =
        #""query":"tide harbour","documents":["The tide.",{"text":"Tide and harbour."},"Nothing","harbour"]"#

    @Test(arguments: [FakeProvider.RerankStyle.usual, .bare, .texts])
    func `texts are scored, the best first, whatever form the server speaks`(
        style: FakeProvider.RerankStyle
    ) async throws {
        try await with(style) { gateway, provider in
            for path in ["/v1/rerank", "/api/rerank"] {
                let reply = try await gateway.done("POST", path, #"{"model":"home/small",\#(Self.body)}"#)
                let results = try #require(reply.object["results"] as? [[String: Any]])
                #expect(results.compactMap { $0["index"] as? Int } == [1, 0, 3, 2])
                #expect(results.compactMap { $0["relevance_score"] as? Double } == [2.25, 1.25, 1.25, 0.25])
                #expect(
                    results.allSatisfy { $0["document"] == nil } && reply.object["model"] as? String == "home/small")
                let usage = reply.object["usage"] as? [String: Int]
                #expect((usage?["total_tokens"] ?? 0) > 0)
            }
            // The form is looked for once.
            let tries = [FakeProvider.RerankStyle.usual: 0, .bare: 1, .texts: 2][style] ?? 0
            #expect(provider.statistics.requests.values.reduce(0, +) == 2 + tries, "\(provider.statistics.requests)")
            let best = try await gateway.done(
                "POST", "/v1/rerank",
                #"{"model":"home/small","top_n":1,"return_documents":true,"more":1,\#(Self.body)}"#)
            let results = try #require(best.object["results"] as? [[String: Any]])
            #expect(
                results.count == 1 && (results[0]["document"] as? [String: String]) == ["text": "Tide and harbour."])
        }
    }

    @Test func `many texts are asked for in parts, and keep their places`() async throws {
        try await with { gateway, provider in
            let texts = (0..<450).map { $0 == 433 ? "\"tide harbour\"" : "\"text \($0)\"" }.joined(separator: ",")
            let reply = try await gateway.done(
                "POST", "/v1/rerank", #"{"model":"home/small","query":"tide harbour","documents":[\#(texts)]}"#)
            let results = try #require(reply.object["results"] as? [[String: Any]])
            #expect(results.count == 450 && results[0]["index"] as? Int == 433)
            #expect(Set(results.compactMap { $0["index"] as? Int }).count == 450)
            #expect(provider.statistics.requests["/v1/rerank"] == 3)
            let many = Array(repeating: "\"x\"", count: 1001).joined(separator: ",")
            let refused = try await gateway.post(
                "/v1/rerank", #"{"model":"home/small","query":"x","documents":[\#(many)]}"#)
            #expect(refused.status == 400 && refused.error.contains("1000"))
        }
    }

    @Test func `without a model, a query or a right it is refused, and a failure has its reason`() async throws {
        try await with { gateway, _ in
            for (body, word) in [
                (#"{\#(Self.body)}"#, "SELENE_RERANK_MODEL"),
                (#"{"model":"home/small","query":"","documents":["x"]}"#, "query"),
                (#"{"model":"home/small","query":"x"}"#, "documents"),
                (#"{"model":"home/small","query":"x","documents":[1]}"#, "documents"),
                (#"{"model":"home/small","query":"x","documents":["x"],"top_n":0}"#, "top_n"), ("{}", "query"),
            ] {
                let reply = try await gateway.post("/v1/rerank", body)
                #expect(reply.status == 400 && reply.error.contains(word), "\(body): \(reply.text)")
            }
            let none = try await gateway.done(
                "POST", "/v1/rerank", #"{"model":"home/small","query":"x","documents":[]}"#)
            #expect((none.object["results"] as? [Any])?.isEmpty == true)
            // A server at Ollama's address that has no such route.
            // However often one client asks it, nobody is made to wait.
            for _ in 0..<5 {
                let away = try await gateway.post("/v1/rerank", #"{"model":"llama3.2",\#(Self.body)}"#)
                #expect(away.status == 404 && away.code == "model_not_found", "\(away.text)")
                #expect(away.error.contains("is it a model for reranking?"))
            }
            var grant = KeyGrant(scopes: [.llm])
            grant.models = ["llama3.2"]
            let key = try await gateway.store.keys.create(name: "guest", grant: grant)
            try await gateway.waitForKeys()
            let refused = try await gateway.post(
                "/v1/rerank", #"{"model":"home/small",\#(Self.body)}"#, token: key.secret)
            #expect(refused.status == 403 && refused.code == "model_not_allowed")
        }
        try await with(settings: ["rerank_model": "home/small"]) { gateway, _ in
            let reply = try await gateway.done("POST", "/v1/rerank", "{\(Self.body)}")
            #expect(reply.object["model"] as? String == "home/small")
        }
        try await with(reply: #"{"results":[{"index":0,"relevance_score":1}]}"#) { gateway, _ in
            let reply = try await gateway.post("/v1/rerank", #"{"model":"home/small",\#(Self.body)}"#)
            #expect(reply.status == 502, "\(reply.text)")
        }
    }

    @Test func `a prompt's tokens are estimated from its texts, and its images cost what they usually do`() async throws
    {
        try await LiveGateway.with { gateway in
            func count(_ body: String) async throws -> Int {
                let reply = try await gateway.done("POST", "/v1/messages/count_tokens?beta=true", body)
                return try #require(reply.object["input_tokens"] as? Int)
            }
            let text = String(repeating: "tide", count: 1000)
            let short = try await count(#"{"model":"llama3.2","messages":[{"role":"user","content":"\#(text)"}]}"#)
            #expect((1000...1020).contains(short), "\(short)")
            let more = try await count(
                #"{"model":"llama3.2","system":"\#(text)","messages":[{"role":"user","content":[{"type":"text","text":"\#(text)"}]}]}"#
            )
            #expect((2000...2030).contains(more), "\(more)")
            let image = Data(repeating: 1, count: 30_000).base64EncodedString()
            let picture = try await count(
                #"{"model":"x","messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"\#(image)"}}]}]}"#
            )
            #expect((1600...1620).contains(picture), "\(picture)")
            let tools = try await count(
                #"{"model":"x","messages":[],"tools":[{"name":"search","input_schema":{"type":"object","properties":{"q":{"type":"string"}}}}]}"#
            )
            #expect(tools > 5)
            for wrong in ["{}", #"{"model":"x"}"#, #"{"messages":[]}"#, #"{"model":"","messages":[]}"#, "[]"] {
                #expect(try await gateway.post("/v1/messages/count_tokens", wrong).status == 400, "\(wrong)")
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }
}
