import Foundation
import GatewayTestSupport
import Storage
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
            _ = try await gateway.database.notes.insert(
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

    @Test func `an accent is part of its letter, in search and in retrieval`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.database.notes.insert([
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
