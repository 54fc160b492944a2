import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing
import Transport

/// Books over HTTP.
@Suite struct BookRoutesTests {
    static func text(_ sentences: Int = 600) -> String {
        var parts = ["CHAPTER I"]
        for start in stride(from: 0, to: sentences, by: 5) {
            if start == sentences / 10 * 5 { parts.append("CHAPTER II") }
            parts.append(
                (start..<start + 5).map { "The quay\($0) lies at the harbour where gulls cry." }.joined(separator: " "))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    static func add(
        _ gateway: LiveGateway, _ text: String, name: String = "tides.txt"
    ) async throws -> LiveGateway.Reply {
        try await gateway.request(
            "POST", "/api/books?name=\(name)", text, headers: [("Content-Type", "application/octet-stream")])
    }

    static func ready(_ gateway: LiveGateway, _ id: Int64) async throws -> Book {
        try await waitUntil {
            let book = try decode(Book.self, try await gateway.request("GET", "/api/books/\(id)"))
            return book.state == .ready || book.state == .failed
        }
        return try decode(Book.self, try await gateway.request("GET", "/api/books/\(id)"))
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a file is imported by a job, read, searched, limited and deleted`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let text = Self.text()
            let reply = try await Self.add(gateway, text)
            #expect(reply.status == 202, "\(reply.text)")
            let added = try Self.decode(Book.self, reply)
            let job = try #require(added.job)
            let events = try await gateway.request("GET", "/api/jobs/\(job)/events")
            #expect(events.text.contains("\"kind\":\"books.import\"") && events.text.contains("\"state\":\"done\""))
            let book = try await Self.ready(gateway, added.id)
            #expect(book.state == .ready && book.title == "tides" && book.embedded == book.passages)
            let again = try await Self.add(gateway, text, name: "copy.txt")
            #expect(again.status == 200 && again.object["id"] as? Int == Int(book.id))

            let list = try Self.decode(BookList.self, try await gateway.request("GET", "/api/books?q=TIDES&limit=1"))
            #expect(list.books.map(\.id) == [book.id])
            let outline = try Self.decode(
                BookOutline.self, try await gateway.request("GET", "/api/books/\(book.id)/outline"))
            #expect(outline.headings.map(\.title).count == 2)
            let page = try Self.decode(
                BookPage.self, try await gateway.request("GET", "/api/books/\(book.id)/pages/2"))
            #expect(page.page == 2 && page.isEstimated && page.total == book.pages && !page.blocks.isEmpty)
            #expect(try await gateway.request("GET", "/api/books/\(book.id)/pages/9999").status == 404)
            #expect(try await gateway.request("GET", "/api/books/\(book.id)/page?label=xii").status == 404)
            #expect(try await gateway.request("GET", "/api/books/\(book.id)/cover").status == 404)
            #expect(try await gateway.request("GET", "/api/books/\(book.id)/text").text == text)
            let hits = try Self.decode(
                BookHits.self, try await gateway.request("GET", "/api/books/\(book.id)/find?q=QUAY41%20lies&limit=2"))
            #expect(hits.total == 1 && hits.hits.first?.match == "quay41 lies")

            let position = try await gateway.request("PUT", "/api/books/\(book.id)/position", #"{"percent":50}"#)
            let limited = try Self.decode(Book.self, position)
            let offset = try #require(limited.position?.offset)
            let path = "/api/books/\(book.id)/retrieve"
            let found = try Self.decode(
                BookRetrieveResponse.self, try await gateway.post(path, #"{"query":"quay580","limit":50}"#))
            #expect(found.position == offset && !found.results.isEmpty)
            #expect(found.results.allSatisfy { $0.end <= offset })
            let whole = try Self.decode(
                BookRetrieveResponse.self,
                try await gateway.post(path, #"{"query":"quay580","ignore_position":true}"#))
            #expect(whole.results.first?.text.contains("quay580 ") == true && whole.source == "hybrid")
            let library = try Self.decode(
                BookRetrieveResponse.self, try await gateway.post("/api/books/retrieve", #"{"query":"quay580"}"#))
            #expect(library.results.allSatisfy { $0.end <= offset })
            let before = try Self.decode(
                BookOutline.self, try await gateway.request("GET", "/api/books/\(book.id)/outline?to_position=true"))
            #expect(before.headings.allSatisfy { $0.end <= offset })
            #expect(try await gateway.request("DELETE", "/api/books/\(book.id)/position").status == 200)

            let changed = try await gateway.request(
                "PATCH", "/api/books/\(book.id)", #"{"title":"Quays","is_private":true}"#)
            #expect(changed.object["title"] as? String == "Quays" && changed.object["is_private"] as? Bool == true)
            #expect(try await gateway.post("/api/books/\(book.id)/retry", "").code == "not_failed")
            #expect(try await gateway.request("DELETE", "/api/books/\(book.id)").status == 204)
            #expect(try await gateway.request("GET", "/api/books/\(book.id)").status == 404)
            #expect(
                try await gateway.post("/api/books/retrieve", #"{"query":"quay580"}"#).text.contains("\"results\":[]"))
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `books are added while others are imported, each by a job of its own`(_ place: NotesPlace) async throws {
        var options = FakeOllama.Options()
        options.embedCost = 0.02
        try await LiveGateway.with(options, notesIn: place) { gateway in
            var books: [Book] = []
            for number in 0..<4 {
                let reply = try await Self.add(gateway, "Edition \(number).\n\n" + Self.text(), name: "\(number).txt")
                #expect(reply.status == 202, "\(reply.text)")
                books.append(try Self.decode(Book.self, reply))
            }
            #expect(Set(books.compactMap(\.job)).count == 4)
            for book in books { #expect(try await Self.ready(gateway, book.id).state == .ready) }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `wrong requests are refused by name`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["books_max_file": "100000"]) { gateway in
            let large = try await Self.add(gateway, String(repeating: "a", count: 100_001))
            #expect(large.status == 413 && large.code == "too_large")
            let program = try await Self.add(gateway, "\u{7F}ELF\u{0}\u{0}\u{1}", name: "program")
            #expect(program.status == 415 && program.code == "unknown_format")
            for (blank, name) in [
                ("", "a.txt"), ("", "a.pdf"), ("", "a"), (" \r\n\t\n", "a.md"), ("\u{FEFF}\n", "a.epub"),
            ] {
                let reply = try await Self.add(gateway, blank, name: name)
                #expect(
                    reply.status == 422 && reply.code == "no_text" && reply.error == "the file has no text",
                    "\(name): \(reply.text)")
            }
            let folder = gateway.folder.appending(path: "n.sqlite.books").path
            #expect((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] == [])
            let id = try Self.decode(Book.self, try await Self.add(gateway, Self.text())).id
            _ = try await Self.ready(gateway, id)
            for body in ["{}", #"{"page":1,"percent":2}"#, #"{"percent":101}"#, #"{"offset":-1}"#] {
                #expect(try await gateway.request("PUT", "/api/books/\(id)/position", body).status == 400, "\(body)")
            }
            #expect(try await gateway.request("PUT", "/api/books/\(id)/position", #"{"page":999}"#).status == 404)
            #expect(try await gateway.post("/api/books/\(id)/retrieve", #"{"query":" "}"#).status == 400)
            #expect(try await gateway.post("/api/books/\(id)/retrieve", #"{"query":"a","limit":51}"#).status == 400)
            #expect(try await gateway.post("/api/books/retrieve", #"{"query":"a","books":[77]}"#).status == 404)
            #expect(
                try await gateway.post("/api/books/retrieve", #"{"query":"a","ignore_position":true}"#).status == 400)
        }
    }

    @Test func `images of pages are refused in order: no book, no PDF, no page, no program`() async throws {
        try await LiveGateway.with(settings: ["books_page_program": "off"]) { gateway in
            let text = try Self.decode(Book.self, try await Self.add(gateway, Self.text())).id
            let pdf = String(decoding: SamplePDF.file([["The lamp was lit at nine."]]), as: UTF8.self)
            let added = try await Self.add(gateway, pdf, name: "lamp.pdf")
            #expect(added.status == 202, "\(added.text)")
            let id = try Self.decode(Book.self, added).id
            _ = try await Self.ready(gateway, text)
            _ = try await Self.ready(gateway, id)
            func image(_ path: String) async throws -> LiveGateway.Reply {
                try await gateway.request("GET", "/api/books/\(path)")
            }
            #expect(try await image("77/pages/1/image").status == 404)
            let other = try await image("\(text)/pages/999/image")
            #expect(other.status == 415 && other.code == "no_picture")
            #expect(try await image("\(id)/pages/2/image").status == 404)
            for size in ["99", "2401", "a", "-1"] {
                #expect(try await image("\(id)/pages/1/image?size=\(size)").status == 400, "\(size)")
            }
            let off = try await image("\(id)/pages/1/image?size=100")
            #expect(off.status == 503 && off.code == "no_page_program" && off.text.contains("poppler-utils"))
        }
    }

    @Test func `a full disk is 507 and leaves nothing`() async throws {
        try await LiveGateway.with(settings: ["books_space": "1000"]) { gateway in
            let reply = try await Self.add(gateway, Self.text())
            #expect(reply.status == 507 && reply.code == "no_space")
            let folder = gateway.folder.appending(path: "n.sqlite.books").path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func `a URL is fetched over redirects, and private addresses only when they are allowed`() async throws {
        let text = Self.text(100)
        let server = try ScriptedServer { number in
            number == 1
                ? .reply(302, "", headers: ["Location": "/books/essay.txt?x=1"])
                : .reply(200, text, headers: ["X-Number": "\(number)"])
        }
        defer { server.stop() }
        let body = #"{"url":"\#(server.address)/start"}"#
        let headers = [(name: "Content-Type", value: "application/json")]
        try await LiveGateway.with { gateway in
            let refused = try await gateway.request("POST", "/api/books", body, headers: headers)
            #expect(refused.status == 422 && refused.code == "private_address", "\(refused.text)")
            #expect(server.requests.isEmpty)
            for url in ["ftp://example.org/a", "http://user:secret@example.org/", "nothing", "file:///etc/passwd"] {
                let reply = try await gateway.request("POST", "/api/books", #"{"url":"\#(url)"}"#, headers: headers)
                #expect(reply.status == 422 && reply.code == "url_failed", "\(url)")
            }
        }
        try await LiveGateway.with(settings: ["books_private_urls": "true"]) { gateway in
            let reply = try await gateway.request("POST", "/api/books", body, headers: headers)
            #expect(reply.status == 202, "\(reply.text)")
            let book = try await Self.ready(gateway, try Self.decode(Book.self, reply).id)
            #expect(book.state == .ready && book.title == "essay")
            #expect(server.requests.last?.hasPrefix("GET /books/essay.txt?x=1 ") == true)
        }
    }

    @Test(.slow) func `an import goes on after the gateway was stopped`() async throws {
        let folder = try TemporaryFolder()
        var options = FakeOllama.Options()
        options.embedCost = 0.02
        let first = try await LiveGateway.start(folder: folder.url, options, settings: [:])
        let id = try Self.decode(Book.self, try await Self.add(first, Self.text(4000))).id
        try await waitUntil {
            try Self.decode(Book.self, try await first.request("GET", "/api/books/\(id)")).embedded > 0
        }
        await first.stop()
        let second = try await LiveGateway.start(folder: folder.url, .init(), settings: [:])
        let book = try await Self.ready(second, id)
        #expect(book.state == .ready && book.embedded == book.passages)
        await second.stop()
    }
}
