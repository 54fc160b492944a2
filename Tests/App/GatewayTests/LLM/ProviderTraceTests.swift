import FakeProviders
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Traces of requests that providers besides Ollama answer.
@Suite(.serialized) struct ProviderTraces {
    private static let parent = [
        (name: "traceparent", value: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    ]

    @Test func `a provider on other machines learns nothing, and its calls have its API's name`() async throws {
        let collector = try ScriptedServer { _ in .reply(200, "{}") }
        defer { collector.stop() }
        let settings = ["otel_exporter_otlp_endpoint": collector.address]
        try await ProviderGateway.with(settings: settings) { gateway, provider in
            func ask(_ path: String, _ model: String) async throws {
                let body = #"{"model":"\#(model)","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}"#
                let reply = try await gateway.request("POST", path, body, headers: Self.parent)
                #expect(reply.status == 200)
                #expect(provider.lastRequest?.headers["traceparent"] == nil)
            }
            // Passed on, and translated.
            try await ask("/v1/chat/completions", "gpu/small")
            try await ask("/v1/messages", "claude/small")
            try await ask("/api/chat", "gpu/small")
        }
        let text = collector.requests.joined()
        #expect(text.components(separatedBy: #""name":"chat gpu/small""#).count == 3)
        #expect(text.components(separatedBy: #""stringValue":"openai""#).count == 3)
        #expect(text.components(separatedBy: #""name":"chat claude/small""#).count == 2)
        #expect(text.components(separatedBy: #""stringValue":"anthropic""#).count == 2)
        #expect(!text.contains(FakeProvider.Options().key ?? "-"))
    }

    @Test func `a server of the user's goes on in the trace`() async throws {
        let collector = try ScriptedServer { _ in .reply(200, "{}") }
        defer { collector.stop() }
        try await FakeProvider.withServer(FakeProvider.Options()) { provider in
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "provider.key")
            try Data((FakeProvider.Options().key ?? "").utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let settings = [
                "otel_exporter_otlp_endpoint": collector.address,
                "providers": """
                {"gpu": {"kind": "openai", "url": "\(provider.baseURL)/v1", "key_file": "\(file.path)", "local": true}}
                """,
            ]
            try await LiveGateway.with(settings: settings) { gateway in
                for path in ["/v1/chat/completions", "/api/chat"] {
                    let body = #"{"model":"gpu/small","messages":[{"role":"user","content":"Hello"}]}"#
                    let reply = try await gateway.request("POST", path, body, headers: Self.parent)
                    #expect(reply.status == 200)
                    let header = provider.lastRequest?.headers["traceparent"] ?? ""
                    #expect(header.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && header != Self.parent[0].value)
                }
            }
        }
    }
}
