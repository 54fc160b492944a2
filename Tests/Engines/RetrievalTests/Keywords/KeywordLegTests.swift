import Foundation
import TestSupport
import Testing

@testable import Retrieval
@testable import Text

/// The keyword leg against a full scan of every folded text.
@Suite struct KeywordLeg {
    static let alphabet = [
        "a", "B", "c", "é", "e\u{301}", "Ω", "ς", "ß", "SS", "%", "_", "\\", "'", "\"", "日", "本", "🎻", "👩‍🔬", " ", "\n",
        "İ", "1", "-", "ﬁ",
    ]

    func fold(_ text: String) -> String { String(decoding: TextFolding.fold(text), as: UTF8.self) }

    /// What `LIKE '%pattern%'` finds when nothing in the pattern is special: bytes within bytes.
    func oracle(_ pattern: String, _ documents: [(id: Int64, title: String, text: String)]) -> Set<Int64> {
        let needle = Array(fold(pattern).utf8)
        return Set(
            documents.filter { document in
                [document.title, document.text].contains { Array(fold($0).utf8).contains(subsequence: needle) }
            }.map(\.id))
    }

    @Test(.slow, arguments: 0..<20)
    func `matches what a full scan matches, for any pattern`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        func text(_ length: Int) -> String {
            (0..<length).map { _ in Self.alphabet.randomElement(using: &random) ?? "a" }.joined()
        }
        let documents = (0..<60).map { index in
            (id: Int64(index), title: text(Int.random(in: 0..<8, using: &random)), text: text(30))
        }
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = documents.map { RetrievalDocument(id: $0.id, title: $0.title, text: $0.text) }
        try index.apply(update)
        for length in [1, 1, 2, 2, 3, 4, 6] {
            for _ in 0..<10 {
                let pattern = text(length)
                guard !pattern.allSatisfy(\.isWhitespace) else { continue }
                let result = try index.searchNow(
                    HybridQuery(text: "", keywords: [pattern], mode: .keyword, limit: 1000))
                #expect(Set(result.hits.map(\.id)) == oracle(pattern, documents), "pattern \(pattern.debugDescription)")
            }
        }
    }

    func index(_ documents: [(title: String, text: String, time: Int64)]) throws -> HybridIndex {
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = documents.enumerated().map { number, document in
            RetrievalDocument(
                id: Int64(number + 1), title: document.title, text: document.text, createdAt: document.time)
        }
        try index.apply(update)
        return index
    }

    func found(_ index: HybridIndex, _ text: String) throws -> [Int64] {
        try index.searchNow(HybridQuery(text: text, mode: .keyword)).hits.map(\.id)
    }

    @Test func `wildcards and quotes have no meaning of their own`() throws {
        let index = try index([
            ("", "100% wool", 0), ("", "100 wool", 0), ("", "a_b", 0), ("", "axb", 0), ("", #"c:\temp"#, 0),
            ("", "it's", 0),
        ])
        #expect(try found(index, "100%") == [1])
        #expect(try found(index, "a_b") == [3])
        #expect(try found(index, #"\temp"#) == [5])
        #expect(try found(index, "it's") == [6])
        #expect(try found(index, "%") == [1])
    }

    @Test func `case folds over all of Unicode and combining marks meet precomposed letters`() throws {
        let index = try index([("", "STRASSE", 0), ("", "ΣΊΣΥΦΟΣ", 0), ("", "Cafe\u{301}", 0), ("", "cafe", 0)])
        #expect(try found(index, "straße") == [1])
        #expect(try found(index, "Σίσυφος") == [2])
        // Without the mark it is found, too, below.
        #expect(try found(index, "CAFÉ") == [3, 4])
    }

    @Test func `more and rarer terms, a title, and then recency decide the order`() throws {
        let terms = try index([("", "tide gauge", 0), ("", "tide", 5), ("", "gauge", 9), ("", "neither", 9)])
        #expect(try found(terms, "tide gauge").first == 1)
        let title = try index([("", "tide x", 9), ("tide x", "", 0)])
        #expect(try found(title, "tide") == [2, 1])
        let recency = try index([("", "tide", 1), ("", "tide", 3), ("", "tide", 2), ("", "tide", 3)])
        #expect(try found(recency, "tide") == [2, 4, 3, 1])
    }

    @Test func `common words are left out unless there is nothing else`() {
        #expect(QueryTerms(text: "What is the tide?", phrases: []).terms.map(\.text) == ["tide"])
        #expect(QueryTerms(text: "to be or not to be", phrases: []).terms.map(\.text) == ["to", "be", "or", "not"])
        #expect(
            QueryTerms(text: "the C++ (50%) sensor_id, #3", phrases: ["a b"]).terms.map(\.text) == [
                "a b", "C++", "50%", "sensor_id", "#3",
            ])
        #expect(QueryTerms(text: "... ?", phrases: []).terms.map(\.text) == ["...", "?"])
        let many = (0..<100).map { "w\($0)" }.joined(separator: " ")
        #expect(QueryTerms(text: many, phrases: []).terms.count == QueryTerms.maxTerms)
    }

    @Test(arguments: [
        ("Kühe am Kühlhaus", "küh", ["Küh", "Küh"]), ("Große STRASSE", "ss", ["ß", "SS"]),
        ("Cafe\u{301} zu", "é", ["e\u{301}"]), ("日本語 日", "日", ["日", "日"]), ("aaa", "aa", ["aa"]), ("", "x", []),
    ])
    func `spans point into the text as it was written`(text: String, term: String, expected: [String]) {
        let bytes = Array(text.utf8)
        let spans = FoldedText(text).spans(of: TextFolding.fold(term), limit: 10)
        #expect(spans.map { String(decoding: bytes[$0], as: UTF8.self) } == expected)
    }

    @Test func `a term that begins a word goes before one inside a word, which is found all the same`() throws {
        let index = try index([("", "the concatenation of it", 9), ("", "a cat sat on my lawn", 0), ("", "a dog", 9)])
        #expect(try found(index, "cat") == [2, 1])
    }

    @Test func `a frequent term leaves room for the spans of a rare one`() throws {
        let text = String(repeating: "tide ", count: 100) + "gauge"
        let result = try index([("", text, 0)]).searchNow(HybridQuery(text: "tide gauge", mode: .keyword))
        let spans = result.spans(in: text, limit: 4)
        #expect(spans.map(\.term) == ["tide", "tide", "tide", "gauge"])
        #expect(spans.map(\.range) == [0..<4, 5..<9, 10..<14, 500..<505])
    }

    @Test(arguments: [("\u{212B}", "\u{C5}"), ("\u{1FB4}", "\u{3B1}\u{345}\u{301}"), ("\u{1E69}", "s\u{307}\u{323}")])
    func `texts that differ only in how they are composed fold alike`(one: String, other: String) {
        #expect(TextFolding.fold(one) == TextFolding.fold(other))
        #expect(TextFolding.fold(one.uppercased()) == TextFolding.fold(other))
    }

    @Test(.slow) func `a replaced or removed text is found no more`() throws {
        let index = HybridIndex(dimensions: nil)
        let filler = String(repeating: "filler ", count: 3000)
        for round in 0..<600 {
            var update = IndexUpdate()
            update.documents = [
                RetrievalDocument(id: 1, title: "", text: "round\(round)x \(filler)"),
                RetrievalDocument(id: Int64(2 + round), title: "", text: "short"),
            ]
            update.removedDocuments = round > 0 ? [Int64(1 + round)] : []
            if round == 1 { update.removedDocuments = [] }
            try index.apply(update)
        }
        #expect(try found(index, "round599x") == [1])
        #expect(try found(index, "round598x").isEmpty)
        #expect(index.statistics.textBytes < 600 * filler.utf8.count / 2)
    }
}

extension Array where Element == UInt8 {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        guard count >= subsequence.count else { return false }
        return (0...(count - subsequence.count)).contains { start in
            Array(self[start..<start + subsequence.count]) == subsequence
        }
    }
}
