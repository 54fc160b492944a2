import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// One box over everything, over HTTP.
@Suite struct FindRoute {
    /// A gateway with something of each kind about tides.
    private static func with(
        _ place: NotesPlace = .file, _ options: FakeOllama.Options = .init(), _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(options, notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: "Spring tide", content: "The moon pulls the sea highest at new moon.",
                    createdAt: 1_795_000_000,
                    noteType: "reference", threads: ["Tide gauge"], tags: ["sea"], externalID: "journal/tide.md"),
                NoteDraft(
                    title: "Sourdough", content: "Feed the starter; 80% hydration.\n- [ ] buy flour",
                    createdAt: 1_795_100_000, noteType: "task", tags: ["kitchen"], externalID: "bread.md"),
            ])
            try await gateway.done("PUT", "/api/sessions/s1", #"{"title":"Harbour"}"#)
            try await gateway.done(
                "POST", "/api/sessions/s1/messages", #"{"role":"user","content":"When is spring tide?"}"#, 201)
            try await gateway.done(
                "POST", "/api/sessions/s1/messages",
                #"{"role":"assistant","content":"Spring tide is two days after new moon."}"#, 201)
            try await gateway.done("POST", "/api/memories", #"{"content":"Rows at spring tide","type":"fact"}"#, 201)
            try await gateway.done("POST", "/api/goals", #"{"title":"Row at every spring tide"}"#, 201)
            try await body(gateway)
        }
    }

    private static func find(_ gateway: LiveGateway, _ text: String, _ more: String = "") async throws -> FindResponse {
        let name = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let reply = try await gateway.done("GET", "/api/find?q=\(name)\(more)")
        return try JSONDecoder().decode(FindResponse.self, from: reply.data)
    }

    @Test(arguments: NotesPlace.allCases)
    func `all kinds are in one list, and operators narrow it`(_ place: NotesPlace) async throws {
        try await Self.with(place) { gateway in
            let all = try await Self.find(gateway, "spring tide")
            #expect(all.leftOut == [] && all.count == all.results.count && all.nextCursor == nil)
            #expect(all.results.first?.kind == .notes && all.results.first?.why.isExactTitle == true, "\(all.results)")
            let kinds = Dictionary(grouping: all.results, by: \.kind).mapValues(\.count)
            #expect(kinds[.chats] == 2 && kinds[.memories] == 1 && kinds[.goals] == 1, "\(kinds)")
            #expect(all.results.allSatisfy { (0...1).contains($0.score) })
            #expect(zip(all.results, all.results.dropFirst()).allSatisfy { $0.score >= $1.score })
            let chat = try #require(all.results.first { $0.kind == .chats })
            #expect(chat.id == "s1" && chat.title == "Harbour" && chat.place.message != nil)
            for hit in all.results where hit.kind == .chats {
                let bytes = Array(hit.snippet.utf8)
                let marked = hit.highlights.map {
                    String(decoding: bytes[$0.start..<$0.end], as: UTF8.self).lowercased()
                }
                #expect(Set(marked) == ["spring", "tide"], "\(hit)")
            }
            let thread = try await Self.find(gateway, "gauge")
            #expect(thread.results.first?.kind == .threads && thread.results.first?.title == "Tide gauge")

            for (text, expected) in [
                ("from:chats moon", ["chats"]), ("spring from:(goals|memories)", ["goals", "memories"]),
                ("tag:sea", ["notes"]), ("tag:kitchen spring", []), ("moon -new", []), ("has:task", ["notes"]),
                (#""two days after""#, ["chats"]), ("in:harbour spring", ["chats", "chats"]),
                ("type:fact spring", ["memories"]),
                ("spring source:journal", ["notes"]), ("title:row spring", ["goals"]), ("before:2001 spring", []),
                ("thread:gauge moon", ["notes"]), ("in:book spring", []),
            ] as [(String, [String])] {
                let found = try await Self.find(gateway, text)
                #expect(
                    found.results.map(\.kind.rawValue).sorted() == expected, "\(text): \(found.results.map(\.title))")
                #expect(found.leftOut == [], "\(text)")
            }
        }
    }

    @Test func `pages follow each other, and a cursor belongs to its search`() async throws {
        try await Self.with { gateway in
            let whole = try await Self.find(gateway, "spring tide")
            var (pages, cursor) = ([FindHit](), String?.none)
            repeat {
                let page = try await Self.find(
                    gateway, "spring tide", "&limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                #expect(page.results.count <= 2)
                pages += page.results
                cursor = page.nextCursor
            } while cursor != nil
            #expect(pages == whole.results)
            let first = try await Self.find(gateway, "spring tide", "&limit=1")
            let other = try await gateway.request("GET", "/api/find?q=spring&cursor=\(first.nextCursor ?? "")")
            #expect(other.status == 400 && other.error.contains("cursor"), "\(other.text)")
        }
    }

    @Test func `the client asks for kinds, pages and operators`() async throws {
        try await ConnectedClient.with { setting in
            _ = try await setting.database.notes.insert([
                NoteDraft(title: "Tide", content: "high & low", createdAt: 1_795_000_000),
                NoteDraft(title: "Tide tables", content: "moon", createdAt: 1_795_000_000),
            ])
            let found = try await setting.data.find("tide", kinds: [.notes, .goals], PageRequest(limit: 1))
            #expect(found.results.map(\.title) == ["Tide"] && found.nextCursor != nil)
            let next = try await setting.data.find(
                "tide", kinds: [.notes, .goals], PageRequest(limit: 1, cursor: found.nextCursor))
            #expect(next.results.map(\.title) == ["Tide tables"] && next.nextCursor == nil)
            #expect(try await setting.data.find(#""high & low" -moon"#).results.map(\.title) == ["Tide"])
        }
    }

    @Test func `only the kinds that were asked for are searched`() async throws {
        try await Self.with { gateway in
            let found = try await Self.find(gateway, "spring", "&kinds=goals,chats")
            #expect(Set(found.results.map(\.kind)) == [.goals, .chats])
            #expect(try await Self.find(gateway, "spring from:notes", "&kinds=goals").results == [])
            for query in ["", "?q=", "?q=%20", "?q=x&kinds=cats", "?q=x&limit=0", "?q=x&limit=101", "?q=x&cursor=1"] {
                let reply = try await gateway.request("GET", "/api/find" + query)
                #expect(reply.status == 400, "\(query): \(reply.text)")
            }
            let long = try await gateway.request("GET", "/api/find?q=" + String(repeating: "x", count: 2001))
            #expect(long.status == 400)
        }
    }

    @Test(.slow) func `a book has three hits up to the page that was read, and counts the others`() async throws {
        try await Self.with { gateway in
            let text = BookRoutesTests.text()
            let added = try BookRoutesTests.decode(
                Book.self, try await BookRoutesTests.add(gateway, text, name: "quays.txt"))
            let book = try await BookRoutesTests.ready(gateway, added.id)
            let all = try await Self.find(gateway, "harbour gulls")
            let hits = all.results.filter { $0.kind == .books }
            #expect(hits.count == 3 && hits.allSatisfy { $0.id == String(book.id) && $0.title == "quays" })
            #expect((hits.first?.more ?? 0) > 0 && hits.dropFirst().allSatisfy { $0.more == nil })
            #expect(hits.allSatisfy { $0.place.page != nil && !$0.highlights.isEmpty })
            let set = try await gateway.request("PUT", "/api/books/\(book.id)/position", #"{"percent":20}"#)
            let end = try #require(try BookRoutesTests.decode(Book.self, set).position?.offset)
            let read = try await Self.find(gateway, "quay580 harbour", "&limit=100")
            #expect(read.results.filter { $0.kind == .books }.allSatisfy { ($0.place.end ?? 0) <= end })
            #expect(try await Self.find(gateway, "book:quays harbour").results.allSatisfy { $0.kind == .books })
            #expect(try await Self.find(gateway, "book:other harbour").results.isEmpty)
            #expect(try await Self.find(gateway, "quays").results.first?.title == "quays")
        }
    }

    @Test func `without a model, words answer and the reply says so`() async throws {
        try await Self.with { gateway in
            let found = try await Self.find(gateway, "spring tide")
            #expect(found.wordsOnly.contains { $0.kind == .notes } && found.leftOut == [])
            #expect(found.results.contains { $0.kind == .notes })
        }
    }
}
