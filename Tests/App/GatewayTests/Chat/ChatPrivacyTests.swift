import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// What may leave the machine: private notes never enter a prompt to a provider elsewhere, and the run says so.
@Suite(.serialized) struct ChatPrivacy {
    private func with(
        _ settings: [String: String] = [:], _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = """
                {"away": {"kind": "openai", "url": "\(provider.baseURL)/v1"},
                 "home": {"kind": "openai", "url": "\(provider.baseURL)/v1", "local": true},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)"}}
                """
            try await LiveGateway.with(settings: settings.merging(["providers": providers]) { $1 }) { gateway in
                _ = try await gateway.database.notes.insert([
                    NoteDraft(
                        title: "harbour", content: "The secret anchorage is at Skagen.", createdAt: 1, tags: ["Private"]
                    ),
                    NoteDraft(
                        title: "diary", content: "A secret anchorage frightens me.", createdAt: 2, noteType: "diary"),
                    NoteDraft(
                        title: "chart", content: "No anchorage is marked on the chart.", createdAt: 3, threads: ["Sea"]),
                ])
                try await body(gateway, provider)
            }
        }
    }

    @Test(arguments: ["away/small", "claude/small"])
    func `a provider elsewhere gets no private note, and the run lists what was withheld`(model: String) async throws {
        try await with(["private": "tag:private, type:diary"]) { gateway, provider in
            let run = try await gateway.answer("Where is the secret anchorage?", ["model": model]).run
            #expect(run.state == .done, "\(run.error ?? "")")
            #expect(run.record?.passages.map(\.title) == ["chart"])
            #expect(run.record?.withheld.sorted() == [1, 2])
            let sent = try #require(provider.lastRequest).body
            #expect(sent.contains("marked on the chart") && !sent.contains("Skagen") && !sent.contains("frightens"))
            #expect(gateway.fake.statistics.requests["/api/chat"] == nil)
        }
    }

    @Test func `Ollama and a provider that is named local get every note`() async throws {
        try await with { gateway, provider in
            let local = try await gateway.answer("Where is the secret anchorage?", ["model": "home/small"]).run
            #expect(local.record?.passages.count == 3 && local.record?.withheld == [])
            #expect(try #require(provider.lastRequest).body.contains("Skagen"))
            let own = try await gateway.answer("Where is the secret anchorage?").run
            #expect(own.record?.passages.count == 3 && own.record?.withheld == [])
        }
    }

    @Test func `texts of a private thread stay here, too`() async throws {
        try await with(["private": "thread:Sea"]) { gateway, provider in
            try await gateway.execute(
                "ALTER TABLE threads ADD COLUMN summary TEXT; UPDATE threads SET summary = 'we sail at dawn'")
            let away = try await gateway.answer(
                "Which anchorage does the chart mark?",
                ["kind": "deep_dive", "scope": ["thread": "Sea"], "model": "away/small"]
            ).run
            #expect(away.record?.passages.isEmpty == true && away.record?.withheld == [3])
            let sent = try #require(provider.lastRequest).body
            #expect(!sent.contains("dawn") && !sent.contains("is marked on"))
            let here = try await gateway.answer(
                "Which anchorage does the chart mark?", ["kind": "deep_dive", "scope": ["thread": "Sea"]]
            ).run
            #expect(here.record?.passages.map(\.title) == ["chart"])
        }
    }
}
