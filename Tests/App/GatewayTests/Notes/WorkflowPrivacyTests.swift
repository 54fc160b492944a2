import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Workflows send nothing to a provider elsewhere, whatever model is the gateway's.
@Suite(.serialized) struct WorkflowPrivacy {
    @Test(.slow, arguments: ["briefing", "actions"])
    func `a workflow asks no model, and private notes stay here`(kind: String) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let settings = [
                "providers": #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#,
                "generate_model": "away/small", "private": "tag:private", "goals_zone": "UTC",
            ]
            try await LiveGateway.with(settings: settings) { gateway in
                let now = Int64(Date.now.timeIntervalSince1970)
                _ = try await gateway.store.notes.insert([
                    NoteDraft(
                        title: "harbour", content: "Call the secret surveyor by Friday.", createdAt: now,
                        threads: ["Sea"],
                        tags: ["private"]),
                    NoteDraft(title: "chart", content: "Buy the chart for Theo.", createdAt: now, threads: ["Sea"]),
                ])
                let begun = try await gateway.request("POST", "/api/jobs/\(kind)")
                let job = try JSONDecoder().decode(Job.self, from: begun.data)
                let events = try await gateway.request("GET", "/api/jobs/\(job.id)/events")
                #expect(events.text.contains("\"state\":\"done\""), "\(events.text)")
                if kind == "actions" {
                    let drafts = try await gateway.request("GET", "/api/tasks/drafts")
                    #expect(drafts.text.contains("Call the secret surveyor") && drafts.text.contains("Buy the chart"))
                }
                #expect(provider.lastRequest == nil)
                for path in ["/api/chat", "/api/generate", "/api/embed", "/api/embeddings"] {
                    #expect(gateway.fake.statistics.requests[path] == nil, "\(path)")
                }
            }
        }
    }
}
