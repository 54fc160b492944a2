import Books
import Foundation
import GatewayAPI
import TestSupport
import Testing

/// Exact search in a book.
@Suite struct FindingText {
    @Test func `case, quotes, dashes, spaces and line breaks do not matter, and bytes are exact`() async throws {
        try await LibraryBench.with { bench in
            let text =
                "“Mr.\u{A0}Sherlock Holmes,”\nhe said\u{2060}—“sat at the\nbreakfast table.” ÉMILE saw the STRASSE.\n\nEnd."
            let book = try await bench.imported(text)
            let bytes = Array(text.utf8)
            for (query, match) in [
                ("mr. sherlock", "Mr.\u{A0}Sherlock"),
                ("\"mr. SHERLOCK holmes,\" he said", "“Mr.\u{A0}Sherlock Holmes,”\nhe said"),
                ("said-\"sat at the breakfast", "said\u{2060}—“sat at the\nbreakfast"), ("émile", "ÉMILE"),
                ("e\u{301}mile", "ÉMILE"), ("straße", "STRASSE"),
            ] {
                let found = try await bench.library.finder.find(query, in: book.id, after: nil, limit: 5)
                #expect(found.total == 1, "\(query)")
                let hit = try #require(found.hits.first, "\(query)")
                #expect(String(decoding: bytes[hit.start..<hit.end], as: UTF8.self) == match, "\(query)")
            }
            #expect(try await bench.library.finder.find("watson", in: book.id, after: nil, limit: 5).total == 0)
        }
    }

    @Test(.slow) func `every occurrence is found once over parts and pages`() async throws {
        try await LibraryBench.with { bench in
            let text = SampleText.book(paragraphs: 900)
            let book = try await bench.imported(text)
            let expected = text.matches(of: #/tide/#).count
            var hits: [BookHits.Hit] = []
            var after: Int?
            repeat {
                let found = try await bench.library.finder.find("TIDE", in: book.id, after: after, limit: 700)
                #expect(found.total == expected)
                hits += found.hits
                after = found.nextCursor.flatMap { Int($0) }
            } while after != nil
            #expect(hits.count == expected)
            #expect(hits.map(\.start) == hits.map(\.start).sorted() && Set(hits.map(\.start)).count == hits.count)
            let limited = try await bench.library.finder.find("tide", in: book.id, after: nil, limit: 500, before: 5000)
            #expect(limited.hits.allSatisfy { $0.end <= 5000 } && limited.total < expected)
        }
    }
}
