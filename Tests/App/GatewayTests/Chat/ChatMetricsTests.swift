import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// The metrics of chats against what runs did, and against the document.
@Suite(.serialized) struct ChatFigures {
    @Test func `runs, tools, citations and tokens are counted, with bounded labels`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([
            .call("recent_notes", "{}"), .call("launch_rockets", "{}"),
            .text("The greatest range comes a day and a half after full moon [1]. Whales sing [9]."),
            .text("ok"),
        ])
        try await LiveGateway.with(options) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "spring tide", content: "The greatest range comes a day and a half after full moon.",
                    createdAt: 1)
            ])
            _ = try await gateway.answer("When is the greatest range?")
            _ = try await gateway.answer("Say ok", ["kind": "plain"])
            gateway.fake.setFaults(["status=400@/api/chat#1"])
            _ = try await gateway.answer("Fail", ["kind": "plain"])
            let metrics = try await gateway.metrics()
            #expect(metrics[#"selene_chat_runs_total{kind="ask",state="done"}"#] == 1)
            #expect(metrics[#"selene_chat_runs_total{kind="plain",state="done"}"#] == 1)
            #expect(metrics[#"selene_chat_runs_total{kind="plain",state="failed"}"#] == 1)
            #expect(metrics["selene_chat_runs_in_progress"] == 0 && metrics["selene_chat_readers"] == 0)
            #expect(metrics["selene_chat_first_token_seconds_count"] == 2)
            #expect(metrics["selene_chat_run_seconds_count"] == 3)
            #expect(metrics[#"selene_chat_tokens_total{kind="prompt"}"#] > 0)
            #expect(metrics[#"selene_chat_tokens_total{kind="generated"}"#] > 0)
            // The statistics of the console count them, too.
            for kind in ["prompt", "generated"] {
                #expect(
                    metrics[#"selene_tokens_total{kind="\#(kind)"}"#]
                        == metrics[#"selene_chat_tokens_total{kind="\#(kind)"}"#])
            }
            #expect(metrics["selene_first_token_seconds_count"] >= 2)
            let stats = try await gateway.done("GET", "/api/admin/stats")
            #expect((stats.object["tokens"] as? [String: Any])?["generated"] as? Int ?? 0 > 0)
            let traffic = try await gateway.done("GET", "/api/admin/traffic")
            #expect(traffic.objects("points").contains { $0["generated_tokens"] as? Int ?? 0 > 0 }, "\(traffic.text)")
            #expect(metrics[#"selene_chat_tool_calls_total{tool="recent_notes",outcome="done"}"#] == 1)
            #expect(metrics[#"selene_chat_tool_calls_total{tool="unknown",outcome="refused"}"#] == 1)
            #expect(metrics[#"selene_chat_citations_total{verdict="supported"}"#] == 1)
            #expect(metrics[#"selene_chat_citations_total{verdict="invented"}"#] == 1)
        }
    }

    @Test func `every chat metric is documented, and nothing else`() async throws {
        let text = try String(
            contentsOf: Repository.root.appending(path: "Documentation/Operations.md"), encoding: .utf8)
        let documented = Set(text.matches(of: /`(selene_chat_[a-z_]+)`/).map { String($0.output.1) })
        try await LiveGateway.with { gateway in
            let kinds = try await gateway.metrics().kinds.keys
            #expect(documented == Set(kinds.filter { $0.hasPrefix("selene_chat_") }))
        }
    }
}
