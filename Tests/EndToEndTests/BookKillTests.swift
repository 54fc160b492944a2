import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `kill -9` of a gateway while it imports a book: the next one goes on, and embeds nothing twice.
@Suite(.serialized) struct BookKills {
    @Test(.slow) func `a killed import goes on by itself where it was`() async throws {
        var options = FakeOllama.Options()
        options.embedCost = 0.02
        let fake = try await FakeOllama.start(options)
        let home = try SeleneHome()
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
        let text = (0..<4000).map { "The quay\($0) lies at the harbour where gulls cry.\($0 % 5 == 4 ? "\n\n" : " ")" }
            .joined()
        var stored = 0
        try await ServeProcess.with(environment, home: home) { server in
            let added = try await server.request(
                "POST", "/api/books?name=tides.txt", text, headers: [("Content-Type", "application/octet-stream")])
            #expect(added.status == 202)
            try await waitUntil(within: .seconds(120)) {
                stored = try await server.request("GET", "/api/books/1").object["embedded"] as? Int ?? 0
                return stored > 0
            }
            try await server.end(SIGKILL)
        }
        fake.reset()
        try await ServeProcess.with(environment, home: home) { server in
            try await waitUntil(within: .seconds(180)) {
                try await server.request("GET", "/api/books/1").object["state"] as? String == "ready"
            }
            let book = try await server.request("GET", "/api/books/1").object
            let passages = try #require(book["passages"] as? Int)
            #expect(book["embedded"] as? Int == passages)
            // The new gateway embeds what no row has; a call that was under way at the kill is made again at most.
            #expect(fake.statistics.embedBatches.reduce(0, +) <= passages - stored)
            let found = try await server.request("POST", "/api/books/1/retrieve", #"{"query":"quay3999"}"#)
            #expect(found.text.contains("quay3999 "))
        }
        await fake.shutdown()
    }
}
