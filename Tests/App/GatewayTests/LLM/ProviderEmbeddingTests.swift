import Backfill
import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import JobRoom
import Storage
import TestSupport
import Testing

/// Notes embedded by an OpenAI-compatible provider, and what it must not get.
@Suite(.serialized) struct ProviderEmbeddings {
    private func with(
        _ model: String, _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = """
                {"away": {"kind": "openai", "url": "\(provider.baseURL)/v1"},
                 "home": {"kind": "openai", "url": "\(provider.baseURL)/v1", "local": true},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)"}}
                """
            try await LiveGateway.with(settings: ["providers": providers, "embed_model": model]) { gateway in
                _ = try await gateway.store.notes.insert([
                    NoteDraft(title: "chart", content: "No anchorage is marked.", createdAt: 1),
                    NoteDraft(title: "harbour", content: "It is at Skagen.", createdAt: 2, tags: ["private"]),
                    NoteDraft(title: "tide", content: "The tide is high.", createdAt: 3),
                ])
                try await body(gateway, provider)
            }
        }
    }

    private func backfill(_ gateway: LiveGateway) async throws -> Job {
        let begun = try await gateway.request("POST", "/api/jobs/backfill")
        guard let id = begun.object["id"] as? Int64 else {
            throw LiveGateway.UnexpectedStatus(description: begun.text)
        }
        try await waitUntil { try await gateway.store.jobs.find(id).job.state.isFinal }
        return try await gateway.store.jobs.find(id).job
    }

    @Test func `a provider elsewhere embeds all notes but private ones, and embeds the queries`() async throws {
        try await with("away/small") { gateway, provider in
            let job = try await backfill(gateway)
            #expect(job.state == .done)
            #expect(job.message == "2 notes embedded with away/small; 1 private note withheld")
            let sent = try #require(provider.lastRequest)
            #expect(sent.target == "/v1/embeddings" && sent.body.contains(#""model":"small""#))
            #expect(sent.body.contains("anchorage") && !sent.body.contains("Skagen"))
            let space = try #require(try await gateway.spaces.active())
            #expect(space.space.model == "away/small" && space.space.digest.hasPrefix("provider:"))
            #expect(space.space.dimensions == 8)
            #expect(try await gateway.spaces.embeddingCount(in: space.id) == 2)
            let found = try await gateway.done("POST", "/api/notes/retrieve", #"{"query":"where to anchor"}"#)
            #expect(found.object["source"] as? String == "hybrid", "\(found.text)")
            #expect(try #require(provider.lastRequest).body.contains("where to anchor"))
            #expect(gateway.fake.statistics.requests["/api/embed"] == nil)
            // Words find the private note all the same.
            let hidden = try await gateway.done("POST", "/api/notes/retrieve", #"{"query":"Skagen"}"#)
            #expect(hidden.ids.contains(2))
            // A note that is no longer private is embedded.
            try await gateway.done("PATCH", "/api/notes/2", #"{"tags":["sea"]}"#)
            #expect(try await backfill(gateway).message == "1 note embedded with away/small")
            #expect(try #require(provider.lastRequest).body.contains("Skagen"))
        }
    }

    @Test func `a local provider gets every note, in a space of its own`() async throws {
        try await with("home/small") { gateway, provider in
            #expect(try await backfill(gateway).message == "3 notes embedded with home/small")
            let home = try #require(try await gateway.spaces.active())
            let away = try await gateway.request("POST", "/api/jobs/backfill", #"{"model":"away/small"}"#)
            let id = try #require(away.object["id"] as? Int64)
            try await waitUntil { try await gateway.store.jobs.find(id).job.state.isFinal }
            let active = try #require(try await gateway.spaces.active())
            #expect(active.id != home.id && active.space.digest != home.space.digest)
            let vector = try await gateway.done("POST", "/api/llm/embed", #"{"text":"x","model":"home/small"}"#)
            #expect(vector.object["dimensions"] as? Int == 8)
        }
    }

    @Test func `a provider without embeddings is a clear error`() async throws {
        try await with("claude/small") { gateway, _ in
            let job = try await backfill(gateway)
            #expect(job.state == .failed && job.message == #"provider "claude" has no embedding models"#)
        }
    }
}
