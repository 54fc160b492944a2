import FakeOllama
import Foundation
import GatewayAPI
import Inference
import NIOCore
import Storage
import Testing
import Transport

/// Several processes write to one file at once, and nothing is lost.
@Suite(.serialized) struct ConcurrentWriters {
    @Test func `two servers and an ingestion on one file lose nothing`() async throws {
        let home = try CommandLineTool.Home()
        let notes = try home.writeNotes(40)
        try await KeysOfSeveralProcesses.Child.with(home, ollama: "127.0.0.1:9") { first in
            try await KeysOfSeveralProcesses.Child.with(home, ollama: "127.0.0.1:9") { second in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        let ingest = try await home.run(["ingest", notes])
                        #expect(ingest.status == 0, "\(ingest.errors)")
                    }
                    for (name, port) in [("a", first.port), ("b", second.port)] {
                        group.addTask { try await Self.write(name, port) }
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
    private static func write(_ name: String, _ port: Int) async throws {
        let client = try UpstreamTransport(configuration: UpstreamConfiguration(host: "127.0.0.1:\(port)"))
        func send(_ method: String, _ path: String, _ body: String) async throws -> Int {
            let response = try await client.send(
                UpstreamRequest(method: method, path: path, body: ByteBuffer(string: body)))
            _ = try await response.body.collect(upTo: 1 << 20)
            return response.status
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
        await client.shutdown(within: .seconds(1))
    }
}
