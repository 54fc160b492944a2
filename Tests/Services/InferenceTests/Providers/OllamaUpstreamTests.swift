import FakeOllama
import Testing
import Transport

@testable import Inference

/// Ollama's API as the gateway itself uses it.
@Suite(.serialized) struct OllamaUpstreams {
    @Test func `Ollama's own errors keep their status and message`() async throws {
        try await FakeOllama.withServer { fake in
            let upstream = OllamaUpstream(
                transport: try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL)))
            do throws(UpstreamError) {
                _ = try await upstream.embed(model: "nothing", inputs: ["x"])
                Issue.record("no error")
            } catch {
                #expect(error.status == 404)
                #expect(error.message == "model 'nothing' not found")
            }
            fake.setFaults(["status=503"])
            #expect(await upstream.health(timeout: .seconds(1)).available == false)
        }
    }

    @Test func `embeddings are the server's own numbers, in order`() async throws {
        try await FakeOllama.withServer { fake in
            let upstream = OllamaUpstream(
                transport: try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL)))
            let texts = ["tide", "日本語 🎻", "e\u{301} \"quoted\" \\ \u{2028}", "the sea"]
            let embeddings = try await upstream.embed(model: "all-minilm", inputs: texts)
            let hashed = HashedEmbedding(dimensions: 384)
            for (index, text) in texts.enumerated() {
                #expect(embeddings.vector(index) == hashed.vector(for: text))
            }
            #expect(try await upstream.embed(model: "all-minilm", inputs: []).count == 0)
        }
    }
}
