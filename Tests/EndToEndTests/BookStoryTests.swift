import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

/// A PDF the whole way: `selene books add`, a question, its citation, the page, the same sentence.
@Suite(.serialized) struct BookStories {
    private static let sentence = "The keeper bought a second float for eleven crowns."
    /// Pages i, 1, 2, …; the sentence is on the page that prints 3, and is the fourth of the file.
    private static var pages: [[String]] {
        (0..<6).map { page in
            var lines = ["Chapter notes of day \(page): wind from the west, and the harbour lay quiet at noon."]
            if page == 3 { lines += ["In the spring the gauge was torn away by ice.", sentence] }
            return lines + ["The entries of day \(page) end with the hour of high water and nothing more."]
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    private static let canRecognize = ["/usr/bin/pdftoppm", "/usr/bin/tesseract"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(
        .slow, .enabled(if: canRecognize, "needs tesseract and pdftoppm: apt-get install tesseract-ocr poppler-utils"))
    func `scanned pages are recognized, found, and shown at their place`() async throws {
        let fake = try await FakeOllama.start()
        let home = try SeleneHome()
        let file = home.url.appending(path: "Scan.pdf")
        try Data(try ScannedPDF.file(Self.pages, keeping: [1])).write(to: file)
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
        let off = try await home.run(
            ["books", "add", file.path, "--json"], environment.merging(["SELENE_BOOKS_OCR": "off"]) { $1 })
        #expect(off.status == 0, "\(off.errors)")
        let before = try await home.run(["books", "show", "1"], environment)
        #expect(before.output.contains("5 pages have only images"), "\(before.output)")
        #expect(try await home.run(["books", "remove", "1"], environment).status == 0)

        let added = try await home.run(["books", "add", file.path], environment)
        #expect(added.status == 0, "\(added.errors)")
        try await ServeProcess.with(environment, home: home) { server in
            let list = try await server.request("GET", "/api/books")
            let id = try #require((list.object["books"] as? [[String: Any]])?.first?["id"] as? Int)
            let book = try Self.decode(Book.self, try await server.request("GET", "/api/books/\(id)"))
            #expect(book.state == .ready && book.pages == 6)
            let recognized = book.notices.first { $0.code == "recognized_pages" }
            #expect(recognized?.pages == [1, 3, 4, 5, 6], "\(book.notices)")
            let found = try await server.request(
                "POST", "/api/books/\(id)/retrieve", #"{"query":"second float for eleven crowns","mode":"keyword"}"#)
            #expect(found.text.contains(Self.sentence), "\(found.text)")
            let page = try Self.decode(BookPage.self, try await server.request("GET", "/api/books/\(id)/pages/4"))
            #expect(page.text.contains(Self.sentence), "\(page.text)")
            let bytes = Array(page.text.utf8)
            let line = try #require(
                page.lines?.first {
                    String(decoding: bytes[$0.start - page.start..<$0.end - page.start], as: UTF8.self) == Self.sentence
                })
            // The third line stands at 20 points from the left, with its base line at 50 + 2 * 14 from the top.
            #expect(abs(line.box[0] - 20) < 3 && abs(line.box[1] + line.box[3] - 78) < 5, "\(line.box)")
        }
        await fake.shutdown()
    }

    @Test(.slow) func `a citation of a PDF opens at the same sentence, on the page and on its image`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("The keeper bought a second float for eleven crowns [1].")])
        let fake = try await FakeOllama.start(options)
        let home = try SeleneHome()
        let file = home.url.appending(path: "Tides.pdf")
        try Data(SamplePDF.file(Self.pages, labels: true)).write(to: file)
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]

        let added = try await home.run(["books", "add", file.path, "--json"], environment)
        #expect(added.status == 0, "\(added.errors)")
        try await ServeProcess.with(environment, home: home) { server in
            let book = try Self.decode(Book.self, try await server.request("GET", "/api/books/1"))
            #expect(book.state == .ready && book.format == "pdf" && book.pages == 6 && book.numbering == "labels")
            #expect(book.embedded == book.passages && book.passages > 0)

            let begun = try await server.request(
                "POST", "/api/chat/runs",
                #"{"id":"q","question":"What did the keeper buy for eleven crowns?","kind":"book","scope":{"book":1}}"#)
            #expect(begun.status == 201, "\(begun.text)")
            func run() async throws -> ChatRun {
                try Self.decode(ChatRun.self, try await server.request("GET", "/api/chat/runs/q"))
            }
            try await waitUntil { [.done, .failed].contains(try await run().state) }
            let record = try #require(try await run().record)
            let citation = try #require(record.citations.first, "\(record)")
            #expect(citation.verdict == .supported && citation.book == 1)
            let evidence = try #require(citation.evidence.first)
            let place = try #require(evidence.place)

            // The place leads to one page, by its physical and by its printed number.
            let page = try Self.decode(BookPage.self, try await server.request("GET", "/api/books/1/pages/4"))
            #expect(page.label == "3" && page.start <= place[0] && place[1] <= page.end)
            let labelled = try Self.decode(BookPage.self, try await server.request("GET", "/api/books/1/page?label=3"))
            #expect(labelled == page)
            let bytes = Array(page.text.utf8)[place[0] - page.start..<place[1] - page.start]
            #expect(String(decoding: bytes, as: UTF8.self) == Self.sentence)
            let passage = try #require(record.passages.first { $0.number == evidence.number })
            #expect(passage.page ?? 0 <= 4 && passage.text.contains(Self.sentence))

            // The lines of the place are on the page, and so is the sentence for a search of its words.
            let lines = page.lines?.filter { $0.start < place[1] && $0.end > place[0] } ?? []
            let box = try #require(lines.first?.box)
            #expect(lines.count == 1 && abs(box[0] - 20) < 1 && box[1] > 60 && box[1] < 90 && box[2] > 150)
            let hits = try Self.decode(
                BookHits.self, try await server.request("GET", "/api/books/1/find?q=second%20float%20for%20eleven"))
            #expect(hits.hits.map(\.page) == [4] && hits.hits[0].start > place[0] && hits.hits[0].end < place[1])

            // Before it was read, it is neither found nor told.
            #expect(try await server.request("PUT", "/api/books/1/position", #"{"page":3}"#).status == 200)
            let before = try await server.request(
                "POST", "/api/books/1/retrieve", #"{"query":"second float eleven crowns"}"#)
            #expect(before.status == 200 && !before.text.contains("eleven crowns"))
        }
        await fake.shutdown()
    }

    @Test(.slow) func `a file without text is refused in one line, and the others are added`() async throws {
        let home = try SeleneHome()
        let files = ["empty.txt", "blank.md", "tides.txt"].map { home.url.appending(path: $0).path }
        for (file, text) in zip(files, ["", " \n\n", "The tide turns at noon."]) {
            try Data(text.utf8).write(to: URL(filePath: file))
        }
        let environment = ["OLLAMA_HOST": "http://127.0.0.1:9"]
        let added = try await home.run(["books", "add"] + files, environment)
        #expect(added.status == 2)
        #expect(added.errors.contains("\(files[0]): the file has no text\n"), "\(added.errors)")
        #expect(added.errors.contains("\(files[1]): the file has no text\n"), "\(added.errors)")
        #expect(try await home.run(["books", "list", "--json"], environment).output.contains("\"tides.txt\""))
    }

    @Test(
        .slow,
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftoppm"),
            "needs pdftoppm: apt-get install poppler-utils"))
    func `the gateway draws the pages of a PDF, and its cover`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "Tides.pdf")
        try Data(SamplePDF.file(Self.pages)).write(to: file)
        let fake = try await FakeOllama.start()
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
        #expect(try await home.run(["books", "add", file.path], environment).status == 0)
        try await ServeProcess.with(environment, home: home) { server in
            let image = try await server.request("GET", "/api/books/1/pages/4/image?size=800")
            #expect(image.status == 200)
            #expect(SamplePDF.pixels(ofPNG: [UInt8](image.data)).map { [$0.width, $0.height] } == [600, 800])
            #expect(try await server.request("GET", "/api/books/1/pages/4/image?size=800").data == image.data)
            let cover = try await server.request("GET", "/api/books/1/cover")
            #expect(cover.status == 200)
            #expect(SamplePDF.pixels(ofPNG: [UInt8](cover.data))?.height == 640)
        }
        await fake.shutdown()
    }
}
