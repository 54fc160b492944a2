import Backfill
import FakeOllama
import Foundation
import GRDB
import GatewayTestSupport
import Storage
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// A disk without room: what needs some is refused, all else goes on, and nothing is lost.
@Suite(.serialized, .enabled(if: SmallDisk.isPossible, "only root of a Linux can mount a small disk"))
struct FullDisk {
    private func embedBody(_ name: String) -> String {
        let texts = (0..<150).map { "\"\(name) \($0)\"" }.joined(separator: ",")
        return #"{"texts":[\#(texts)]}"#
    }

    /// Titles of all notes that the gateway shows.
    private func titles(_ gateway: LiveGateway) async throws -> Set<String> {
        var titles: Set<String> = []
        var cursor = ""
        while true {
            let page = try await gateway.request("GET", "/api/notes?limit=500\(cursor)")
            for note in page.objects("notes") { titles.insert(note["title"] as? String ?? "") }
            guard let next = page.object["next_cursor"] as? String else { return titles }
            cursor = "&cursor=\(next)"
        }
    }

    @Test(.slow, .ofFile) func `notes are refused with 507, the rest is answered, and room again makes all well`()
        async throws
    {
        try await SmallDisk.with(megabytes: 24) { disk in
            let settings = ["backfill": "auto"]
            let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: settings)
            var stored: Set<String> = []
            var refused: Set<String> = []
            do {
                for number in 0..<20 {
                    try await gateway.done(
                        "POST", "/api/notes", #"{"title":"early \#(number)","content":"tide"}"#, 201)
                    stored.insert("early \(number)")
                }
                #expect(
                    try await eventually {
                        try await gateway.post("/api/notes/retrieve", #"{"query":"tide"}"#).object["source"] as? String
                            == "hybrid"
                    })
                try disk.fill()
                // A log that was used before has room for some.
                let filling = String(repeating: "x", count: 20_000)
                for number in 0..<400 where refused.count < 3 {
                    let reply = try await gateway.post(
                        "/api/notes", #"{"title":"late \#(number)","content":"\#(filling)"}"#)
                    if reply.status == 201 {
                        stored.insert("late \(number)")
                    } else {
                        #expect(reply.status == 507 && reply.code == "disk_full", "\(reply.text)")
                        #expect(reply.error.contains("the disk is full"))
                        refused.insert("late \(number)")
                    }
                }
                #expect(refused.count == 3)
                // What needs no room is answered.
                #expect(try await titles(gateway) == stored)
                try await gateway.done("POST", "/api/notes/retrieve", #"{"query":"tide gauge"}"#)
                try await gateway.done("POST", "/api/llm/generate", #"{"prompt":"x"}"#)
                try await gateway.done("POST", "/api/embed", #"{"model":"nomic-embed-text","input":"x"}"#)
                var round = 0
                #expect(
                    try await eventually {
                        round += 1
                        try await gateway.done("POST", "/api/llm/embed", embedBody("round \(round)"))
                        return try await gateway.metrics()["selene_embedding_cache_off"] == 1
                    })
                await #expect(throws: (any Error).self) {
                    try await gateway.application.retrieval.index.follower.writeFile()
                }

                try disk.free()
                #expect(
                    try await eventually {
                        try await gateway.post("/api/notes", #"{"title":"after","content":"tide"}"#).status == 201
                    })
                stored.insert("after")
                #expect(try await titles(gateway) == stored)
                // The backfill goes on by itself.
                let space = try #require(try await gateway.spaces.active())
                #expect(
                    try await eventually {
                        try await gateway.spaces.embeddingCount(in: space.id) == stored.count
                    })
                #expect(try await gateway.application.retrieval.index.follower.writeFile())
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
            #expect(try integrity(of: disk.url.appending(path: "n.sqlite").path) == "ok")
            #expect(try integrity(of: disk.url.appending(path: "n.sqlite.cache").path) == "ok")
            let again = try await LiveGateway.start(folder: disk.url, .init(), settings: settings)
            #expect(try await titles(again) == stored)
            #expect(try await again.metrics()["selene_embedding_cache_off"] == 0)
            try await again.done("POST", "/api/llm/embed", embedBody("again"))
            await again.stop()
        }
    }

    @Test func `a gateway that starts on a full disk says so and starts when there is room`() async throws {
        try await SmallDisk.with(megabytes: 4) { disk in
            try disk.fill()
            do {
                let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: [:])
                await gateway.stop()
                Issue.record("it started without a place for its database")
            } catch let error as StorageError {
                #expect(error.code == .diskFull, "\(error)")
            }
            try disk.free()
            let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: [:])
            try await gateway.done("POST", "/api/notes", #"{"title":"a","content":"b"}"#, 201)
            await gateway.stop()
        }
    }
}
