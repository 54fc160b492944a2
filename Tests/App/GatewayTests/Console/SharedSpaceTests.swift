import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Logging
import PostgresStorage
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Embedding spaces, failed notes and the index of gateways whose notes are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedSpaceTests {
    /// A database with 30 notes, one of which cannot be embedded.
    private func filled() async throws -> String {
        let uri = try await #require(await PostgresServer.shared()).migrated()
        let store = PostgresStore(try PostgresAddress(uri), logger: Logger(label: "test"))
        defer { store.close() }
        _ = try await store.notes.insert(
            (1...30).map {
                NoteDraft(title: "note \($0)", content: $0 == 7 ? "UNEMBEDDABLE" : "tide \($0)", externalID: "\($0)")
            })
        return uri
    }

    private var options: FakeOllama.Options {
        var options = FakeOllama.Options()
        options.dimensions = 8
        return options
    }

    private func end(of id: Int64, _ gateway: LiveGateway) async throws -> Job {
        var job: Job?
        try await waitUntil(within: .seconds(60)) {
            let reply = try await gateway.request("GET", "/api/jobs/\(id)")
            job = try JSONDecoder().decode(Job.self, from: reply.data)
            return job?.state.isFinal ?? false
        }
        return try #require(job)
    }

    private func begin(_ kind: String, _ gateway: LiveGateway) async throws -> Int64 {
        let reply = try await gateway.post("/api/jobs/\(kind)", "{}")
        #expect(reply.status == 202, "\(reply.text)")
        return try JSONDecoder().decode(Job.self, from: reply.data).id
    }

    @Test(.slow) func `another gateway lists a failed note, tries it again, and switches spaces`() async throws {
        let settings = ["store": try await filled(), "backfill": "off"]
        try await LiveGateway.with(options, settings: settings) { first in
            try await LiveGateway.with(options, settings: settings) { second in
                _ = try await end(of: try await begin("backfill", first), first)
                let console = RemoteConsoleService(try GatewayConnection(second.base, tokens: StaticTokenStore(nil)))
                let failed = try #require(try await console.failedNotes().notes.first)
                #expect(failed.note == 7 && failed.title == "note 7" && failed.model == "nomic-embed-text", "\(failed)")
                #expect(try await console.retryNote(7, space: failed.space).state == "queued")
                #expect(try await console.failedNotes().notes.isEmpty)
                let space = try #require(try await console.spaces().spaces.first)
                #expect(space.active && space.embedded == 29 && space.notes == 30 && space.waiting == 1)

                let store = PostgresStore(try PostgresAddress(settings["store"] ?? ""), logger: Logger(label: "test"))
                defer { store.close() }
                let other = try await store.spaces.ensure(
                    EmbeddingSpace(model: "all-minilm", digest: "d", dimensions: 4, queryPrefix: "", documentPrefix: "")
                )
                let refused = try await second.post("/api/admin/spaces/\(other.id)/switch", "{}")
                #expect(refused.status == 409 && refused.code == "space_incomplete", "\(refused.text)")
                #expect(try await console.switchSpace(other.id, at: 0).spaces.map(\.active) == [false, true])
                #expect(try await second.request("DELETE", "/api/admin/spaces/\(other.id)").status == 409)
                #expect(try await console.rollBackSpace().spaces.map(\.active) == [true, false])
                #expect(try await console.dropSpace(other.id).spaces.map(\.id) == [space.id])
                #expect(try await second.request("DELETE", "/api/admin/spaces/99").status == 404)
                #expect(try await second.post("/api/admin/spaces/rollback", "{}").status == 404)
            }
        }
    }

    @Test(.enabled("needs pgvector that runs on this processor") { await PostgresServer.hasWideVectors })
    func `a job builds and measures the index of a server that searches, and the routes show it`() async throws {
        let settings = ["store": try await filled(), "backfill": "off", "postgres_search": "server"]
        try await LiveGateway.with(options, settings: settings) { gateway in
            func status() async throws -> [String: Any] {
                let reply = try await gateway.request("GET", "/api/admin/index")
                #expect(reply.status == 200, "\(reply.text)")
                return try #require(try JSONSerialization.jsonObject(with: reply.data) as? [String: Any])
            }
            let empty = try await status()
            #expect(empty["notes"] as? Int == 30 && empty["plan"] as? String == "exact" && empty["model"] == nil)
            _ = try await end(of: try await begin("backfill", gateway), gateway)
            let exact = try await status()
            #expect(exact["vectors"] as? Int == 29 && exact["code_bytes"] as? Int == 0 && exact["tuning"] == nil)
            let job = try await end(of: try await begin("tune", gateway), gateway)
            #expect(job.state == .done && job.message?.hasPrefix("hnsw 40: recall@10 ") == true, "\(job)")
            let tuned = try await status()
            #expect(tuned["plan"] as? String == "hnsw", "\(tuned)")
            #expect(tuned["code_bytes"] as? Int ?? 0 > 0 && tuned["matrix_bytes"] as? Int ?? 0 > 0)
            let tuning = try #require(tuned["tuning"] as? [String: Any])
            #expect(tuning["candidates"] as? Int == 40 && tuning["sample"] as? Int == 29)
            #expect((tuned["kernel"] as? String)?.hasPrefix("pgvector 0.") == true)
            #expect((tuned["blas"] as? String)?.hasPrefix("PostgreSQL ") == true)
        }
    }
}
