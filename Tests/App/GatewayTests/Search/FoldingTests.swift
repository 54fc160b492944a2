import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing
import Text

/// Every route that compares text compares it alike.
@Suite(.serialized) struct Folding {
    /// What a note, a thread or a memory says, and what somebody asks for to find it.
    static let pairs: [(written: String, sought: String)] = [
        ("Straße", "STRASSE"), ("STRASSE", "straße"), ("STRAẞE", "strasse"), ("λόγος", "ΛΌΓΟΣ"), ("ΛΌΓΟΣ", "λόγοσ"),
        ("İstanbul", "i\u{307}stanbul"), ("e\u{301}te\u{301}", "ÉTÉ"), ("Été", "e\u{301}te\u{301}"), ("ＡＢＣ", "ａｂｃ"),
        ("\u{1112}\u{1161}\u{11AB}국", "한국"), ("Ǆungla", "ǆungla"), ("👩‍🔬 tide", "👩‍🔬 TIDE"), ("ſee", "SEE"),
        ("ὈΔΥΣΣΕΎΣ", "Ὀδυσσεύς"), ("ﬁre", "FIRE"), ("\u{1100}\u{1161}\u{11A8}목", "각목"), ("ＤＥＦ ｇｈｉ", "ｄｅｆ ＧＨＩ"),
        ("Weiẞ 👍🏽", "WEISS 👍🏽"), ("I\u{307}zmir", "i\u{307}zmir"),
    ]

    private func json(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    @Test func `search, retrieval, thread names and memories agree on what is the same text`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert(
                Self.pairs.enumerated().map { number, pair in
                    NoteDraft(
                        title: "note \(number)", content: "before \(pair.written) behind", threads: [pair.written],
                        externalID: "\(number)")
                })
            for pair in Self.pairs {
                try await gateway.done(
                    "POST", "/api/memories", #"{"content":\#(json(pair.written)),"type":"fact"}"#, 201)
            }
            for pair in Self.pairs {
                let sought = TextFolding.folded(pair.sought)
                let notes = Set(
                    Self.pairs.indices.filter { TextFolding.folded(Self.pairs[$0].written).contains(sought) }
                        .map { $0 + 1 })
                #expect(TextFolding.folded(pair.written) == sought)
                let searched = try await gateway.done(
                    "POST", "/api/notes/search", #"{"query":\#(json(pair.sought))}"#)
                #expect(Set(searched.ids("notes")) == notes, "search: \(pair)")
                let retrieved = try await gateway.done(
                    "POST", "/api/notes/retrieve",
                    #"{"keywords":[\#(json(pair.sought))],"mode":"keyword","scorer":"like","limit":100}"#)
                #expect(Set(retrieved.ids) == notes, "retrieve: \(pair)")
                let name = try #require(pair.sought.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let thread = try await gateway.done("GET", "/api/threads/search/\(name)")
                let found = try #require(thread.object["name"] as? String)
                #expect(TextFolding.folded(found) == sought, "thread: \(pair)")
                let memories = try await gateway.done(
                    "POST", "/api/memories/retrieve",
                    #"{"query":\#(json(pair.sought)),"limit":100,"minSimilarity":0.5}"#)
                let contents = memories.objects("results").compactMap { $0["content"] as? String }
                #expect(contents.contains { TextFolding.folded($0) == sought }, "memories: \(pair)")
            }
        }
    }

    @Test(.slow) func `exact search of chats, books, goals and prompts agrees, too`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert(
                Self.pairs.enumerated().map { number, pair in
                    NoteDraft(
                        title: "note \(number)", content: "before \(pair.written) behind", externalID: "\(number)")
                })
            // A blank line between paragraphs, so that each is a sentence of its own.
            let text = Self.pairs.map { "Before \($0.written) behind." }.joined(separator: "\n\n")
            let book = try await gateway.request(
                "POST", "/api/books?name=words.txt", text, headers: [("Content-Type", "application/octet-stream")])
            let id = try #require(book.object["id"] as? Int)
            try await waitUntil {
                try await gateway.request("GET", "/api/books/\(id)").object["state"] as? String == "ready"
            }
            for (number, pair) in Self.pairs.enumerated() {
                let text = try json(pair.written)
                try await gateway.done("POST", "/api/goals", #"{"title":\#(text)}"#, 201)
                try await gateway.done(
                    "PUT", "/api/prompts/own-\(number)", #"{"kind":"creative","title":\#(text),"text":"x"}"#, 201)
            }
            for pair in Self.pairs {
                let sought = TextFolding.folded(pair.sought)
                let places = Self.pairs.indices.filter { TextFolding.folded(Self.pairs[$0].written).contains(sought) }
                let found = try await gateway.done(
                    "POST", "/api/tools/find_text", #"{"arguments":{"text":\#(json(pair.sought)),"limit":20}}"#)
                let notes = found.objects("passages").compactMap { $0["note"] as? Int }
                #expect(Set(notes) == Set(places.map { $0 + 1 }), "find_text: \(pair)")
                let query = try #require(pair.sought.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let hits = try await gateway.done("GET", "/api/books/\(id)/find?q=\(query)").objects("hits")
                #expect(hits.count == places.count, "book: \(pair)")
                let goals = try await gateway.done("GET", "/api/goals?q=\(query)").objects("goals")
                #expect(goals.count == places.count, "goals: \(pair)")
                let prompts = try await gateway.done("GET", "/api/prompts?q=\(query)").objects("prompts")
                let own = prompts.compactMap { $0["id"] as? String }.filter { $0.hasPrefix("own-") }
                #expect(Set(own) == Set(places.map { "own-\($0)" }), "prompts: \(pair)")
            }
        }
    }

    @Test func `an accent is part of its letter, in search and in retrieval`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "a", content: "e\u{301}te\u{301}", externalID: "1"),
                NoteDraft(title: "b", content: "ete", externalID: "2"),
            ])
            let searched = try await gateway.done("POST", "/api/notes/search", #"{"query":"ETE"}"#)
            #expect(searched.ids("notes") == [2])
            let retrieved = try await gateway.done(
                "POST", "/api/notes/retrieve", #"{"keywords":["ETE"],"mode":"keyword","scorer":"like"}"#)
            #expect(retrieved.ids == [2])
        }
    }
}
