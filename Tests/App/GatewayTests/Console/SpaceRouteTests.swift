import Backfill
import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// `/api/admin/spaces`, `/api/admin/index` and `/api/jobs/tune` of a running gateway.
@Suite(.serialized) struct SpaceRoutesOfConsole {
    private func fill(_ gateway: LiveGateway) async throws {
        _ = try await gateway.store.notes.insert(
            (0..<30).map { NoteDraft(title: "note \($0)", content: "tide \($0)", externalID: "\($0)") })
        try await gateway.backfill()
    }

    @Test func `a space is switched, rolled back and removed`() async throws {
        try await LiveGateway.with { gateway in
            let console = RemoteConsoleService(try GatewayConnection(gateway.base, tokens: StaticTokenStore(nil)))
            #expect(try await console.spaces().spaces.isEmpty)
            try await fill(gateway)
            let first = try #require(try await console.spaces().spaces.first)
            #expect(first.active && first.filled && first.embedded == 30 && first.notes == 30 && first.waiting == 0)
            let other = try await gateway.spaces.ensure(
                EmbeddingSpace(model: "all-minilm", digest: "d", dimensions: 4, queryPrefix: "", documentPrefix: ""))
            let refused = try await gateway.post("/api/admin/spaces/\(other.id)/switch", "{}")
            #expect(refused.status == 409 && refused.code == "space_incomplete", "\(refused.text)")
            let switched = try await console.switchSpace(other.id, at: 0).spaces
            #expect(switched.map(\.active) == [false, true] && switched.map(\.previous) == [true, false])
            let kept = try await gateway.request("DELETE", "/api/admin/spaces/\(other.id)")
            #expect(kept.status == 409, "\(kept.text)")
            #expect(try await console.rollBackSpace().spaces.map(\.active) == [true, false])
            #expect(try await console.dropSpace(other.id).spaces.map(\.id) == [first.id])
            for (method, path, status) in [
                ("POST", "/api/admin/spaces/99/switch", 404), ("DELETE", "/api/admin/spaces/99", 404),
                ("POST", "/api/admin/spaces/rollback", 404), ("POST", "/api/admin/spaces/x/switch", 400),
            ] {
                let reply = try await gateway.request(method, path, method == "POST" ? "{}" : nil)
                #expect(reply.status == status, "\(method) \(path): \(reply.text)")
            }
            let range = try await gateway.post("/api/admin/spaces/1/switch", #"{"at":101}"#)
            #expect(range.status == 400 && range.error.contains("at"))
        }
    }

    @Test func `the index is measured by a job and says how it searches`() async throws {
        try await LiveGateway.with { gateway in
            try await fill(gateway)
            let status = try await gateway.request("GET", "/api/admin/index")
            #expect(status.status == 200 && status.object["notes"] as? Int == 30, "\(status.text)")
            #expect(status.object["plan"] as? String == "exact")
            for sample in ["9", "10001"] {
                #expect(try await gateway.post("/api/jobs/tune", "{\"sample\":\(sample)}").status == 400)
            }
            let begun = try await gateway.post("/api/jobs/tune", #"{"sample":10}"#)
            #expect(begun.status == 202 && begun.object["kind"] as? String == "index.tune", "\(begun.text)")
            let id = try #require(begun.object["id"] as? Int)
            var job: [String: Any] = [:]
            try await waitUntil {
                job = try await gateway.request("GET", "/api/jobs/\(id)").object
                return job["state"] as? String != "running"
            }
            let message = job["message"] as? String ?? ""
            #expect(job["state"] as? String == "done" && !message.isEmpty, "\(job)")
            #expect(message.contains("exact"), "\(message)")
        }
    }
}
