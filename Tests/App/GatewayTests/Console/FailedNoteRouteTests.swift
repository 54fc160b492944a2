import Backfill
import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Machine
import Storage
import TestSupport
import Testing

/// `/api/admin/failed-notes` of a running gateway.
@Suite(.serialized) struct FailedNoteRoutes {
    @Test func `failed notes are listed with their reasons, and tried again or discarded one by one`() async throws {
        try await LiveGateway.with { gateway in
            let console = RemoteConsoleService(try GatewayConnection(gateway.base, tokens: StaticTokenStore(nil)))
            #expect(try await console.failedNotes().notes.isEmpty)
            let store = try gateway.backfillStore
            _ = try await gateway.store.notes.insert(
                (0..<4).map { NoteDraft(title: "note \($0)", content: "tide \($0)", externalID: "\($0)") })
            let space = try await store.spaces.ensure(
                EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
            #expect(try await store.queue.reconcile(for: space.id, isThorough: false) == 4)
            let worker = WorkerName()
            let claim = try await store.queue.claim(
                in: space.id, as: worker, limit: 9, maxBytes: 1 << 20, lease: .seconds(60), filter: QueueFilter())
            try await store.queue.complete(
                [],
                failures: claim.items.filter { $0.note.id > 1 }.map {
                    QueueFailure(
                        noteID: $0.note.id, contentHash: $0.note.contentHash, reason: "no \($0.note.id)",
                        retryAfter: nil)
                }, in: space, as: worker)
            let first = try await console.failedNotes(PageRequest(limit: 2))
            #expect(first.notes.map(\.note) == [2, 3] && first.nextCursor != nil)
            #expect(first.notes[0].title == "note 1" && first.notes[0].reason == "no 2" && first.notes[0].attempts == 1)
            #expect(first.notes[0].model == "m" && first.notes[0].space == space.id)
            let rest = try await console.failedNotes(PageRequest(limit: 2, cursor: first.nextCursor))
            #expect(rest.notes.map(\.note) == [4] && rest.nextCursor == nil)
            #expect(try await console.failedNotes(space: space.id + 1).notes.isEmpty)

            #expect(try await console.retryNote(3, space: space.id).state == "queued")
            #expect(try await console.discardNote(4, space: space.id).state == "discarded")
            #expect(try await console.failedNotes().notes.map(\.note) == [2])
            let counts = try #require(try await store.spaces.all().first).queue
            #expect(counts == QueueCounts(waiting: 1, leased: 1, failed: 1))
            // A discarded note comes back only with another text.
            #expect(try await store.queue.reconcile(for: space.id, isThorough: false) == 0)
            for (method, path, status) in [
                ("POST", "\(space.id)/3/retry", 404), ("DELETE", "\(space.id)/4", 404), ("DELETE", "9/2", 404),
                ("POST", "x/2/retry", 400), ("DELETE", "\(space.id)/y", 400), ("GET", "?limit=0", 400),
                ("GET", "?cursor=1", 400), ("GET", "?space=x", 400),
            ] {
                let reply = try await gateway.request(
                    method, "/api/admin/failed-notes\(method == "GET" ? "" : "/")\(path)")
                #expect(reply.status == status, "\(method) \(path): \(reply.text)")
            }
        }
    }

    @Test func `the breaker of an upstream says since when it is open and when it is tried again`() async throws {
        try await LiveGateway.with { gateway in
            func breaker() async throws -> [String: Any] {
                let stats = try await gateway.request("GET", "/api/admin/stats").object
                return (stats["upstreams"] as? [[String: Any]])?.first?["breaker"] as? [String: Any] ?? [:]
            }
            #expect(try await breaker()["state"] as? String == "closed")
            #expect(try await breaker()["since"] == nil)
            gateway.fake.setFaults(["drop#100"])
            for _ in 0..<4 { _ = try await gateway.post("/api/generate", #"{"model":"llama3.2","prompt":"x"}"#) }
            var open: [String: Any] = [:]
            try await waitUntil {
                open = try await breaker()
                return open["state"] as? String == "open"
            }
            #expect(open["since"] is String && open["next_try"] is String, "\(open)")
            #expect((open["failed_requests"] as? Int ?? 0) + (open["failed_probes"] as? Int ?? 0) > 0, "\(open)")
        }
    }
}
