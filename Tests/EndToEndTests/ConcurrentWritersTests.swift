import ChatRoom
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Several processes write to one file at once, and nothing is lost.
@Suite(.serialized) struct ConcurrentWriters {
    @Test(.slow) func `two servers and an ingestion on one file lose nothing`() async throws {
        let home = try SeleneHome()
        let notes = try home.writeNotes(40)
        try await ServeProcess.with([:], home: home) { first in
            try await ServeProcess.with([:], home: home) { second in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let ingest = try await home.run(["ingest", notes])
                        #expect(ingest.status == 0, "\(ingest.errors)")
                    }
                    for (name, server) in [("a", first), ("b", second)] {
                        group.addTask { try await Self.write(name, server) }
                    }
                    try await group.waitForAll()
                }
            }
        }
        let database = try GatewayDatabase(path: home.database)
        #expect(try await database.notes.count() == 40 + 2 * 30 + 30)
        for name in ["a", "b"] {
            let messages = try #require(try await database.messages.page(of: name, limit: 500)).items
            #expect(messages.map(\.content) == (0..<30).map { "\(name) \($0)" })
        }
        #expect(try await database.memories.page(limit: 500).items.count == 60)
        try database.close()
    }

    /// Thirty rounds of writes, each answered before the next.
    private static func write(_ name: String, _ server: ServeProcess) async throws {
        func send(_ method: String, _ path: String, _ body: String) async throws -> Int {
            try await server.request(method, path, body).status
        }
        #expect(try await send("PUT", "/api/sessions/\(name)", #"{"title":"\#(name)"}"#) == 200)
        for number in 0..<30 {
            let own = #"{"title":"\#(name) \#(number)","content":"c"}"#
            #expect(try await send("POST", "/api/notes", own) == 201)
            let shared = #"{"title":"same \#(number)","content":"c"}"#
            #expect(try await send("POST", "/webhook/api/drafts", shared) == 200)
            let message = #"{"role":"user","content":"\#(name) \#(number)"}"#
            #expect(try await send("POST", "/api/sessions/\(name)/messages", message) == 201)
            #expect(try await send("POST", "/api/memories", #"{"content":"\#(name)","type":"fact"}"#) == 201)
        }
    }
}
