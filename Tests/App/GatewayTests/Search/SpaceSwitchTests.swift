import Backfill
import FakeOllama
import Foundation
import Gateway
import GatewayTestSupport
import Inference
import Logging
import Storage
import TestSupport
import Testing
import Transport

@testable import Search

/// Changing the embedding model while people ask questions.
@Suite(.serialized) struct MigrationUnderLoad {
    @Test func `questions are answered from one space, before, during and after a switch and a rollback`() async throws
    {
        var options = FakeOllama.Options()
        options.latency = 0.005
        try await LiveGateway.with(options) { gateway in
            _ = try await gateway.store.notes.insert(
                (0..<80).map { NoteDraft(title: "note \($0)", content: "tide \($0)", externalID: "\($0)") })
            try await gateway.backfill()
            let old = try #require(try await gateway.spaces.active())
            let asking = Task {
                var answers = 0
                while !Task.isCancelled {
                    let reply = try await gateway.post(
                        "/api/notes/retrieve", #"{"query":"tide \#(answers % 80)","limit":5}"#)
                    // A vector of one space in the other's index would be a fallback to keywords, or an error.
                    #expect(reply.status == 200)
                    #expect(reply.object["source"] as? String == "hybrid", "\(reply.text)")
                    #expect(reply.ids.count == 5)
                    answers += 1
                }
                return answers
            }
            let transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: gateway.fake.baseURL))
            let migration = BackfillService(
                database: try gateway.backfillStore, upstream: OllamaUpstream(transport: transport),
                options: BackfillOptions(model: "all-minilm", batch: 2),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let summary = try await migration.run { _ in }
            #expect(summary.isActive)
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"moon"}"#).status == 200)
            // The question was embedded with the new space's model.
            #expect(gateway.fake.lastRequest?.body.contains("all-minilm") == true || summary.isActive)
            #expect(try await gateway.store.embeddings.rollBack() == old)
            let after = try await gateway.post("/api/notes/retrieve", #"{"query":"a question of after"}"#)
            #expect(after.object["source"] as? String == "hybrid")
            asking.cancel()
            let answers = await asking.result
            if case .success(let count) = answers { #expect(count > 10) }
            await transport.shutdown(within: .seconds(1))
        }
    }

    @Test func `index files of two spaces stay right over switches`() async throws {
        try await LiveGateway.with { gateway in
            func put(_ name: String) async throws {
                _ = try await gateway.store.notes.insert([
                    NoteDraft(title: name, content: "tide \(name)", externalID: name)
                ])
            }
            func found() async throws -> Int {
                let reply = try await gateway.post(
                    "/api/notes/retrieve", #"{"query":"tide","mode":"vector","limit":50}"#)
                #expect(reply.object["source"] as? String == "vector", "\(reply.text)")
                return reply.ids.count
            }
            // A gateway follows a file at once, and the log of a server within a moment.
            func expect(_ notes: Int) async throws {
                if NotesPlace.usual == .postgres { try await waitUntil { try await found() == notes } }
                #expect(try await found() == notes)
            }
            for number in 0..<6 { try await put("n\(number)") }
            try await gateway.backfill()
            try await expect(6)
            try await gateway.application.retrieval.index.follower.writeFile()
            try await gateway.backfill(model: "all-minilm")
            try await expect(6)
            try await gateway.application.retrieval.index.follower.writeFile()
            // Only the new space gets this one, then only the old one that one, each while the other answers or not.
            try await put("later")
            try await gateway.backfill(model: "all-minilm")
            try await expect(7)
            try await gateway.backfill()
            try await expect(7)
            let back = try await gateway.store.embeddings.rollBack()
            #expect(back.space.model == "nomic-embed-text")
            try await expect(7)
            try await put("last")
            try await gateway.backfill()
            try await gateway.backfill(model: "all-minilm")
            try await expect(8)
            #expect(try await gateway.store.embeddings.rollBack().space.model == "all-minilm")
            try await expect(8)
        }
    }

    @Test func `a server embeds what is written within seconds, and waits while Ollama is away`() async throws {
        try await LiveGateway.with(settings: ["backfill": "auto"]) { gateway in
            _ = try await gateway.store.notes.insert([NoteDraft(title: "first", content: "tide", externalID: "1")])
            try await waitUntil {
                try await gateway.post("/api/notes/retrieve", #"{"query":"tide"}"#).text.contains("hybrid")
            }
            gateway.fake.setFaults(["status=503"])
            _ = try await gateway.store.notes.insert([NoteDraft(title: "second", content: "moon", externalID: "2")])
            #expect(await gateway.fake.waitUntil { ($0.requests["/api/embed"] ?? 0) >= 2 })
            #expect(try await gateway.spaces.embeddingCount(in: 1) == 1)
            gateway.fake.setFaults([])
            try await waitUntil { try await gateway.spaces.embeddingCount(in: 1) == 2 }
        }
    }
}
