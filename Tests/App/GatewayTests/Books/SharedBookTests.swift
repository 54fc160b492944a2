import BookRoom
import Database
import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Books of gateways whose notes are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedBookTests {
    /// Runs two gateways on one database, each with files of its own.
    private func with(
        _ options: FakeOllama.Options = .init(),
        _ body: (_ first: LiveGateway, _ second: LiveGateway) async throws -> Void
    ) async throws {
        var options = options
        let settings = ["store": try await #require(await PostgresServer.shared()).migrated()]
        options.dimensions = 8
        try await LiveGateway.with(options, settings: settings) { first in
            try await LiveGateway.with(options, settings: settings) { second in try await body(first, second) }
        }
    }

    private func book(_ reply: LiveGateway.Reply) throws -> Book { try BookRoutesTests.decode(Book.self, reply) }

    private func found(_ gateway: LiveGateway, _ id: Int64, _ body: String) async throws -> BookRetrieveResponse {
        try BookRoutesTests.decode(
            BookRetrieveResponse.self, try await gateway.done("POST", "/api/books/\(id)/retrieve", body))
    }

    @Test(.slow) func `a book of one gateway is read, searched, limited and deleted at another`() async throws {
        try await with { first, second in
            // Both have an index before the book is there.
            for gateway in [first, second] {
                #expect(try await gateway.done("GET", "/api/books").objects("books").isEmpty)
                let none = try await gateway.post("/api/books/retrieve", #"{"query":"quay41"}"#)
                #expect(none.status == 200 && none.objects("results").isEmpty, "\(none.text)")
            }
            let text = BookRoutesTests.text()
            let id = try book(try await BookRoutesTests.add(first, text)).id
            let ready = try await BookRoutesTests.ready(second, id)
            #expect(ready.state == .ready && ready.embedded == ready.passages)
            #expect(try await second.done("GET", "/api/books?q=TIDES").ids("books") == [Int(id)])
            #expect(try await second.done("GET", "/api/books/\(id)/text").text == text)
            #expect(try await second.done("GET", "/api/books/\(id)/find?q=QUAY41%20lies").object["total"] as? Int == 1)
            let whole = try await found(second, id, #"{"query":"quay580"}"#)
            #expect(whole.source == "hybrid" && whole.results.contains { $0.text.contains("quay580 ") })
            // The other gateway's position hides at once what is beyond it.
            let set = try await second.done("PUT", "/api/books/\(id)/position", #"{"percent":30}"#)
            let offset = try #require(try book(set).position?.offset)
            for gateway in [first, second] {
                let limited = try await found(gateway, id, #"{"query":"quay580","limit":50}"#)
                #expect(limited.position == offset && !limited.results.isEmpty)
                #expect(limited.results.allSatisfy { $0.end <= offset })
            }
            // The passage that the position cuts gets its vector at one of them.
            let store = first.store
            try await waitUntil {
                try await store.rows(
                    "SELECT 1 FROM gateway_book_vectors WHERE book_id = $1 AND number >= $2",
                    [.integer(id), .count(BookPassageRow.tails)]
                ).count
                    == store.rows(
                        "SELECT 1 FROM gateway_book_passages WHERE book_id = $1 AND number >= $2",
                        [.integer(id), .count(BookPassageRow.tails)]
                    ).count
            }
            #expect(try await first.database.books.all().isEmpty)
            #expect(try await second.request("DELETE", "/api/books/\(id)").status == 204)
            #expect(try await first.request("GET", "/api/books/\(id)").status == 404)
            let gone = try await first.post("/api/books/retrieve", #"{"query":"quay41"}"#)
            #expect(gone.objects("results").isEmpty, "\(gone.text)")
        }
    }

    @Test(.slow) func `a file that two gateways get at once is one book, and is imported once`() async throws {
        try await with { first, second in
            let text = BookRoutesTests.text()
            async let one = BookRoutesTests.add(first, text)
            async let two = BookRoutesTests.add(second, text, name: "copy.txt")
            let replies = try await [one, two]
            #expect(replies.map(\.status).sorted() == [200, 202])
            let ids = try replies.map { try book($0).id }
            #expect(Set(ids).count == 1)
            let ready = try await BookRoutesTests.ready(second, ids[0])
            #expect(ready.state == .ready && ready.embedded == ready.passages)
            // A gateway that looked just before the end may begin a job that finds nothing to do.
            try await waitUntil {
                let jobs = try await first.done("GET", "/api/jobs").objects("jobs")
                return Set(jobs.compactMap { $0["state"] as? String }) == ["done"]
            }
            // Each passage once, beside looks for the length of vectors.
            let sent = [first, second].map { $0.fake.statistics.embedBatches.reduce(0, +) }
            #expect((ready.passages..<2 * ready.passages).contains(sent.reduce(0, +)), "\(sent), \(ready.passages)")
        }
    }

    @Test(.slow) func `a chat at another gateway is about the book`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("The quay41 lies at the harbour where gulls cry [1].")])
        try await with(options) { first, second in
            let id = try book(try await BookRoutesTests.add(first, BookRoutesTests.text())).id
            _ = try await BookRoutesTests.ready(first, id)
            let run = try await second.answer(
                "Where does quay41 lie?", ["kind": "book", "scope": ["book": id]]
            ).run
            #expect(run.state == .done && run.record?.passages.first?.book == id, "\(run.error ?? "")")
            #expect(run.record?.citations.first?.verdict == .supported)
        }
    }

    @Test(.slow) func `an import of a gateway that was killed goes on at another one`() async throws {
        var options = FakeOllama.Options()
        (options.dimensions, options.embedCost) = (8, 0.02)
        let server = try #require(await PostgresServer.shared())
        let uri = try await server.migrated()
        try await LiveGateway.with(options, settings: ["store": uri]) { gateway in
            var id: Int64 = 0
            let environment = ["OLLAMA_HOST": gateway.fake.baseURL, "SELENE_BACKFILL": "off", "SELENE_STORE": uri]
            try await ServeProcess.with(environment) { process in
                let reply = try await process.request(
                    "POST", "/api/books?name=tides.txt", BookRoutesTests.text(4000),
                    headers: [("Content-Type", "application/octet-stream")])
                id = try book(reply).id
                try await waitUntil {
                    try book(try await gateway.done("GET", "/api/books/\(id)")).embedded > 0
                }
                try await process.end(SIGKILL)
            }
            try await waitUntil(within: .seconds(120)) {
                try book(try await gateway.done("GET", "/api/books/\(id)")).state == .ready
            }
            let ready = try book(try await gateway.done("GET", "/api/books/\(id)"))
            #expect(ready.embedded == ready.passages && ready.error == nil)
        }
    }
}
