import Backfill
import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import JobRoom
import KeyRoom
import Machine
import Storage
import TestSupport
import Testing
import Transport

/// Who may begin and resume which job, who pays for it, and who may watch.
@Suite(.serialized) struct JobRights {
    private func job(_ reply: LiveGateway.Reply) throws -> Job { try JSONDecoder().decode(Job.self, from: reply.data) }

    private func fill(_ gateway: LiveGateway, _ count: Int) async throws {
        _ = try await gateway.store.notes.insert(
            (0..<count).map { NoteDraft(title: "note \($0)", content: "tide and sea \($0)", externalID: "\($0)") })
    }

    private func key(
        _ gateway: LiveGateway, _ name: String, _ scopes: Set<KeyScope> = [.notesWrite], tokens: Int? = nil
    ) async throws -> NewKey {
        let key = try await gateway.store.keys.create(
            name: name, grant: KeyGrant(scopes: scopes, tokensPerDay: tokens))
        try await gateway.waitForKeys()
        return key
    }

    private func ended(_ gateway: LiveGateway, _ id: Int64) async throws -> StoredJob {
        try await waitUntil { try await gateway.store.jobs.find(id).job.state != .running }
        return try await gateway.store.jobs.find(id)
    }

    @Test(.slow) func `a model, a share or a limit needs admin beside notes write`() async throws {
        try await LiveGateway.with { gateway in
            try await fill(gateway, 60)
            try await gateway.backfill()
            let active = try await gateway.spaces.active()?.id
            let writer = try await key(gateway, "writer")
            for body in [
                #"{"model":"all-minilm","limit":1,"at":1}"#, #"{"model":"all-minilm"}"#, #"{"limit":1}"#,
                #"{"at":100}"#,
            ] {
                let reply = try await gateway.post("/api/jobs/backfill", body, token: writer.secret)
                #expect(reply.status == 403 && reply.code == "missing_scope", "\(body)")
                #expect(reply.error.contains("\"admin\""))
            }
            #expect(try await gateway.store.jobs.list(limit: 10).isEmpty)
            let admin = try await key(gateway, "admin", [.notesWrite, .admin])
            let low = try await gateway.post(
                "/api/jobs/backfill", #"{"model":"all-minilm","limit":1,"at":1}"#, token: admin.secret)
            #expect(low.status == 400 && low.code == "invalid_field" && low.error.contains("SELENE_SWITCH_SHARE"))
            // Fewer notes than the share: nothing switches. More: it does.
            for (limit, switches) in [(10, false), (40, true)] {
                let begun = try await gateway.post(
                    "/api/jobs/backfill", #"{"model":"all-minilm","limit":\#(limit),"at":50}"#, token: admin.secret)
                #expect(begun.status == 202, "\(begun.text)")
                #expect(try await ended(gateway, try job(begun).id).job.state == .done)
                let now = try await gateway.spaces.active()?.id
                #expect((now != active) == switches, "\(limit)")
            }
        }
    }

    @Test func `a stored job switches no earlier than the server's share`() async throws {
        try await LiveGateway.with(settings: ["switch_share": "90"]) { gateway in
            try await fill(gateway, 60)
            try await gateway.backfill()
            let active = try await gateway.spaces.active()?.id
            // As an older server stored it, or one with another share.
            let (stored, _) = try await gateway.store.jobs.begin(
                kind: .backfill, parameters: #"{"model":"all-minilm","limit":40,"at":1}"#, as: WorkerName())
            _ = try await gateway.store.jobs.end(stored.id, .cancelled)
            #expect(try await gateway.request("POST", "/api/jobs/\(stored.id)/resume").status == 202)
            #expect(try await ended(gateway, stored.id).job.state == .done)
            #expect(try await gateway.spaces.active()?.id == active)
        }
    }

    @Test(.slow) func `what a job embeds is charged to the key that began it, and stops with its tokens`() async throws
    {
        try await LiveGateway.with { gateway in
            try await fill(gateway, 200)
            let writer = try await key(gateway, "writer", tokens: 100)
            let begun = try job(try await gateway.post("/api/jobs/backfill", "{}", token: writer.secret))
            let failed = try await ended(gateway, begun.id)
            #expect(failed.job.state == .failed && failed.keyID == writer.record.id)
            #expect(failed.job.message?.contains("100 tokens a day") == true, "\(failed.job.message ?? "")")
            let usage = try await gateway.usage(of: writer) { $0.promptTokens >= 100 }
            #expect((100..<1000).contains(usage.promptTokens), "\(usage)")
            let refused = try await gateway.request(
                "POST", "/api/jobs/\(begun.id)/resume", headers: [("Authorization", "Bearer \(writer.secret)")])
            #expect(refused.status == 429 && refused.code == "quota_exceeded")
            #expect(try await gateway.post("/api/jobs/backfill", "{}", token: writer.secret).status == 429)

            _ = try await gateway.store.keys.change("writer") { $0.tokensPerDay = 1_000_000 }
            let admin = try await key(gateway, "admin", [.notesWrite, .admin])
            let resumed = try await gateway.request(
                "POST", "/api/jobs/\(begun.id)/resume", headers: [("Authorization", "Bearer \(admin.secret)")])
            #expect(resumed.status == 202, "\(resumed.text)")
            let done = try await ended(gateway, begun.id)
            #expect(done.job.state == .done && done.job.done == 200, "\(done)")
            let all = try await gateway.usage(of: writer) { $0.promptTokens > usage.promptTokens + 500 }
            #expect(all.promptTokens > usage.promptTokens + 500, "\(all)")
            #expect(try await gateway.usage(of: admin) { $0.requests > 0 }.promptTokens == 0)
        }
    }

    @Test func `a job is resumed with the rights that it began with`() async throws {
        try await LiveGateway.with { gateway in
            try await fill(gateway, 3)
            let writer = try await key(gateway, "writer")
            let admin = try await key(gateway, "admin", [.notesWrite, .admin])
            var models = KeyGrant(scopes: [.notesWrite, .admin])
            models.models = ["all-minilm"]
            let restricted = try await gateway.store.keys.create(name: "restricted", grant: models)
            try await gateway.waitForKeys()
            func stopped(_ parameters: String, _ key: NewKey?) async throws -> Int64 {
                let (job, _) = try await gateway.store.jobs.begin(
                    kind: .backfill, parameters: parameters, key: key?.record.id, as: WorkerName())
                _ = try await gateway.store.jobs.end(job.id, .cancelled)
                return job.id
            }
            func resume(_ id: Int64, _ key: NewKey) async throws -> LiveGateway.Reply {
                try await gateway.request(
                    "POST", "/api/jobs/\(id)/resume", headers: [("Authorization", "Bearer \(key.secret)")])
            }
            // Another's, nobody's, and one's own that took more than the scope.
            for id in [
                try await stopped("{}", admin), try await stopped("{}", nil),
                try await stopped(#"{"limit":1}"#, writer), try await stopped(#"{"model":"all-minilm"}"#, writer),
            ] { #expect(try await resume(id, writer).code == "missing_scope") }
            let other = try await stopped(#"{"model":"nomic-embed-text"}"#, restricted)
            #expect(try await resume(other, restricted).code == "model_not_allowed")
            for (id, key) in [
                (try await stopped("{}", writer), writer), (try await stopped(#"{"limit":1}"#, writer), admin),
            ] {
                #expect(try await resume(id, key).status == 202)
                #expect(try await ended(gateway, id).job.state == .done)
            }
        }
    }

    @Test func `a job whose key is revoked stops`() async throws {
        try await LiveGateway.with { gateway in
            try await fill(gateway, 3)
            let writer = try await key(gateway, "writer")
            let (stored, _) = try await gateway.store.jobs.begin(
                kind: .backfill, parameters: "{}", key: writer.record.id, as: WorkerName())
            _ = try await gateway.store.jobs.end(stored.id, .cancelled)
            try await gateway.store.keys.revoke("writer")
            let admin = try await key(gateway, "admin", [.notesWrite, .admin])
            let headers = [(name: "Authorization", value: "Bearer \(admin.secret)")]
            #expect(try await gateway.request("POST", "/api/jobs/\(stored.id)/resume", headers: headers).status == 202)
            let failed = try await ended(gateway, stored.id)
            #expect(failed.job.state == .failed && failed.job.message?.contains("revoked") == true, "\(failed)")
            #expect(gateway.fake.statistics.embedBatches.isEmpty)
        }
    }

    @Test func `one key does not take every place of those who watch`() async throws {
        var options = FakeOllama.Options()
        options.latency = 600
        try await LiveGateway.with(options) { gateway in
            try await fill(gateway, 1)
            let (greedy, other) = (try await key(gateway, "greedy"), try await key(gateway, "other"))
            let job = try job(try await gateway.post("/api/jobs/backfill", "{}", token: greedy.secret))
            func watch(_ key: NewKey) async throws -> UpstreamResponse {
                try await gateway.open(
                    "GET", "/api/jobs/\(job.id)/events", headers: [("Authorization", "Bearer \(key.secret)")])
            }
            var open: [UpstreamResponse] = []
            for _ in 0..<8 {
                let response = try await watch(greedy)
                #expect(response.status == 200)
                open.append(response)
            }
            #expect(try await watch(greedy).status == 429)
            let others = try await watch(other)
            #expect(others.status == 200)
            for response in open + [others] { response.body.cancel() }
            #expect(
                try await gateway.request(
                    "DELETE", "/api/jobs/\(job.id)", headers: [("Authorization", "Bearer \(greedy.secret)")]
                ).status == 200)
        }
    }
}
