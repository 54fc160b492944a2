import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Chats about books: cited pages, tools, and nothing beyond the reading position.
@Suite(.serialized) struct BookChats {
    /// A text of about 3 kB a chapter. Sentence n has the word `quayN`.
    private static func text(_ sentences: Int = 600) -> String { BookRoutesTests.text(sentences) }

    private static func add(_ gateway: LiveGateway, _ text: String, name: String = "tides.txt") async throws -> Book {
        let reply = try await gateway.request(
            "POST", "/api/books?name=\(name)", text, headers: [("Content-Type", "application/octet-stream")])
        let id = try JSONDecoder().decode(Book.self, from: reply.data).id
        return try await ready(gateway, id)
    }

    private static func ready(_ gateway: LiveGateway, _ id: Int64) async throws -> Book {
        func now() async throws -> Book {
            try JSONDecoder().decode(Book.self, from: try await gateway.done("GET", "/api/books/\(id)").data)
        }
        try await waitUntil { try await now().state == .ready }
        return try await now()
    }

    private static func position(_ gateway: LiveGateway, _ id: Int64, _ body: String) async throws -> Int {
        let reply = try await gateway.done("PUT", "/api/books/\(id)/position", body)
        return try #require(try JSONDecoder().decode(Book.self, from: reply.data).position?.offset)
    }

    private func with(
        _ script: [FakeOllama.Script.Line], booksIn place: NotesPlace = .file, settings: [String: String] = [:],
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await LiveGateway.with(options, notesIn: place, settings: settings, body)
    }

    @Test(arguments: NotesPlace.allCases)
    func `an answer cites a page, and the evidence is found in the book's text`(_ place: NotesPlace) async throws {
        let answer = "The quay41 lies at the harbour where gulls cry [1]. The quay9999 was sold in 1903 [1]."
        try await with([.text(answer)], booksIn: place) { gateway in
            let text = Self.text()
            let book = try await Self.add(gateway, text)
            let run = try await gateway.answer(
                "Where does quay41 lie?", ["kind": "book", "scope": ["book": book.id]]
            ).run
            #expect(run.state == .done, "\(run.error ?? "")")
            let record = try #require(run.record)
            #expect(record.search?.source == "hybrid" && record.search?.fallbackReason == nil)
            let first = try #require(record.passages.first)
            #expect(first.book == book.id && first.note == nil && first.page != nil && first.title == "tides")
            #expect(first.text.contains("quay41 ") && first.why?.terms.contains("quay41") == true)
            let citations = record.citations
            #expect(citations.map(\.verdict).first == .supported && citations.map(\.verdict).last != .supported)
            #expect(citations.allSatisfy { $0.book == book.id && $0.note == nil })
            let place = try #require(citations.first?.evidence.first?.place)
            let quoted = String(decoding: Array(text.utf8)[place[0]..<place[1]], as: UTF8.self)
            #expect(quoted == "The quay41 lies at the harbour where gulls cry.")
            let sent = gateway.lastAsked
            #expect(sent.contains("p. \(first.label ?? String(first.page ?? 0))"))
        }
    }

    @Test func `evidence in a view of the text is found in the text itself`() async throws {
        // The lines are hyphenated, and the view joins them.
        let line = "The light-\nhouse keeper counted forty-one lan-\nterns before the storm of 1872 came.\n"
        let answer = "The lighthouse keeper counted forty-one lanterns before the storm of 1872 came [1]."
        try await with([.text(answer)]) { gateway in
            let text = line + "\n" + Self.text(200)
            let book = try await Self.add(gateway, text)
            let record = try #require(
                try await gateway.answer(
                    "What did the keeper count before the storm of 1872?",
                    ["kind": "book", "scope": ["book": book.id]]
                ).run.record)
            let cited = try #require(record.citations.first)
            #expect(cited.verdict == .supported)
            let evidence = try #require(cited.evidence.first)
            let passage = try #require(record.passages.first { $0.number == evidence.number })
            let place = try #require(evidence.place)
            let quoted = String(decoding: Array(text.utf8)[place[0]..<place[1]], as: UTF8.self)
            #expect(quoted.hasPrefix("The light") && quoted.hasSuffix("came."))
            let shown = String(
                decoding: Array(passage.text.utf8)[evidence.range[0]..<evidence.range[1]], as: UTF8.self)
            #expect(Self.letters(shown) == Self.letters(quoted))
        }
    }

    private static func letters(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }

    @Test(.slow) func `whatever is asked, no prompt has a sentence beyond the position`() async throws {
        var script: [FakeOllama.Script.Line] = []
        for (name, arguments) in [
            ("search_books", #"{"query":"quay580 harbour","limit":20}"#), ("find_in_books", #"{"text":"quay5"}"#),
            ("read_pages", #"{"first":"1","last":"400"}"#), ("read_pages", #"{"first":"15"}"#), ("book_outline", "{}"),
            ("search_books", #"{"query":"the end","ignore_position":true,"position":99999}"#),
        ] {
            script += [.call(name, arguments), .text("It lies at the harbour [1].")]
        }
        try await with(script) { gateway in
            let text = Self.text()
            let book = try await Self.add(gateway, text)
            let offset = try await Self.position(gateway, book.id, #"{"percent":40}"#)
            let limit =
                Int(
                    String(decoding: Array(text.utf8)[..<offset], as: UTF8.self)
                        .matches(of: #/quay(\d+) /#).last?.1 ?? "") ?? -1
            #expect(limit > 200)
            for question in [
                "How does it end at quay599?", "What is on page 15?", "Summarise pages 1 to 400", "Which chapters?",
                "Tell me of quay\(limit + 1)", "quay580",
            ] {
                let (run, _) = try await gateway.answer(question, ["kind": "book", "scope": ["book": book.id]])
                #expect(run.state == .done, "\(run.error ?? "")")
                for passage in run.record?.passages ?? [] {
                    #expect(passage.range.last ?? .max <= offset, "\(question)")
                }
                // The prompt of the last step has the tool's result, too.
                let sent = gateway.lastAsked
                let asked = question.matches(of: #/quay(\d+)/#).compactMap { Int($0.1) }
                for match in sent.matches(of: #/quay(\d+) lies/#) {
                    let number = Int(match.1) ?? .max
                    #expect(number <= limit || asked.contains(number), "\(question)")
                }
                #expect(!sent.contains("CHAPTER II"), "\(question)")
            }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `answers from further on are no history after the reader went back`(_ place: NotesPlace) async throws {
        let script = ["The quay550 lies at the harbour where gulls cry [1].", "I do not know."]
        try await with(script.map { .text($0) }, booksIn: place) { gateway in
            let book = try await Self.add(gateway, Self.text())
            _ = try await gateway.answer(
                "Tell me of quay550", ["kind": "book", "scope": ["book": book.id], "session": "s"])
            _ = try await Self.position(gateway, book.id, #"{"percent":20}"#)
            let run = try await gateway.answer(
                "And then?", ["kind": "book", "scope": ["book": book.id], "session": "s"]
            )
            .run
            #expect(run.state == .done)
            #expect(!gateway.lastAsked.contains("quay550"))
        }
    }

    @Test(.slow) func `named pages come first, and a short book is given whole`() async throws {
        try await with([.text("ok [1]."), .text("ok [1].")]) { gateway in
            let long = try await Self.add(gateway, Self.text(3000), name: "long.txt")
            let named = try #require(
                try await gateway.answer("What is on page 7?", ["kind": "book", "scope": ["book": long.id]]).run.record)
            #expect(named.passages.first?.page == 7 && named.passages.first?.lastPage == 7)
            let short = try await Self.add(gateway, Self.text(60), name: "short.txt")
            let whole = try #require(
                try await gateway.answer("Who sails?", ["kind": "book", "scope": ["book": short.id]]).run.record)
            let bytes = whole.passages.reduce(0) { $0 + ($1.range[1] - $1.range[0]) }
            #expect(bytes >= short.textBytes - 4 && whole.passages.first?.why == nil)
        }
    }

    @Test func `a request without a book, or with a book of another kind, is refused by name`() async throws {
        try await with([]) { gateway in
            for body in [
                #"{"id":"a","question":"x?","kind":"book"}"#,
                #"{"id":"a","question":"x?","kind":"ask","scope":{"book":1}}"#,
                #"{"id":"a","question":"x?","kind":"book","scope":{"book":\#(Array(1...65))}}"#,
            ] {
                let reply = try await gateway.post("/api/chat/runs", body)
                #expect(reply.status == 400 && reply.error.contains("scope.book"), "\(reply.text)")
            }
            let unknown = try await gateway.post(
                "/api/chat/runs", #"{"id":"b","question":"x?","kind":"book","scope":{"book":77}}"#)
            #expect(unknown.status == 404 && unknown.code == "not_found", "\(unknown.text)")
        }
    }

    @Test func `a provider elsewhere gets nothing of a private book, neither to answer nor to embed`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#
            try await LiveGateway.with(settings: ["providers": providers, "embed_model": "away/small"]) { gateway in
                let reply = try await gateway.request(
                    "POST", "/api/books?name=diary.txt&private=true", Self.text(),
                    headers: [("Content-Type", "application/octet-stream")])
                #expect(reply.status == 202, "\(reply.text)")
                let id = try JSONDecoder().decode(Book.self, from: reply.data).id
                let book = try await Self.ready(gateway, id)
                #expect(book.isPrivate && book.embedded == 0 && book.passages > 10)
                let run = try await gateway.answer(
                    "Where does quay41 lie?", ["kind": "book", "scope": ["book": id], "model": "away/small"]
                ).run
                #expect(run.record?.passages.isEmpty == true)
                #expect(provider.received.allSatisfy { !$0.body.contains("gulls") })
                let here = try await gateway.answer(
                    "Where does quay41 lie?", ["kind": "book", "scope": ["book": id], "model": "llama3.2"]
                ).run
                #expect(here.record?.passages.first?.text.contains("quay41 ") == true)
            }
        }
    }
}
