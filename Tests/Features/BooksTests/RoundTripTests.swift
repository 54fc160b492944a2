import BookRoom
import Books
import Foundation
import GatewayAPI
import Storage
import Testing
import TestSupport

/// From the place of every evidence of a set to its page, and back to the same sentence.
@Suite struct RoundTrips {
    private static let set = Repository.root.appending(path: "../shared/books/hound")
    private static let isPresent = FileManager.default.fileExists(atPath: set.appending(path: "questions.jsonl").path)

    private struct Question: Decodable {
        struct Evidence: Decodable {
            var start: Int
            var end: Int
            var text: String
        }
        var evidence: [Evidence]
    }

    private static func evidence() throws -> [Question.Evidence] {
        try Data(contentsOf: set.appending(path: "questions.jsonl")).split(separator: 0x0A).flatMap {
            try JSONDecoder().decode(Question.self, from: Data($0)).evidence
        }
    }

    /// The pages' text of a range, cut at the range.
    private static func quoted(_ range: Range<Int>, of book: Book, _ bench: LibraryBench) async throws -> String {
        var bytes: [UInt8] = []
        let first = try await bench.library.store.pages(of: [range.lowerBound], in: book.id)[0].number
        var page = try await bench.library.store.page(first, of: book.id)
        #expect(page.start <= range.lowerBound && range.lowerBound < page.end)
        while true {
            let own = range.clamped(to: page.start..<page.end)
            bytes += Array(page.text.utf8)[own.lowerBound - page.start..<own.upperBound - page.start]
            guard page.end < range.upperBound else { break }
            page = try await bench.library.store.page(page.page + 1, of: book.id)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(.slow, .enabled(if: isPresent, "needs ../shared/books beside the repository"))
    func `every evidence is on its page, in the text file and in the EPUB`() async throws {
        try await LibraryBench.with { bench in
            let evidence = try Self.evidence()
            #expect(evidence.count >= 20)
            for name in ["hound.txt", "hound.epub"] {
                let bytes = [UInt8](try Data(contentsOf: Self.set.appending(path: "books/\(name)")))
                let book = try await bench.finish(try await bench.add(bytes, name: name).book.id)
                #expect(book.state == .ready)
                for one in evidence {
                    if name == "hound.txt" {
                        #expect(try await Self.quoted(one.start..<one.end, of: book, bench) == one.text)
                    }
                    let hits = try await bench.library.finder.find(one.text, in: book.id, after: nil, limit: 5).hits
                    let hit = try #require(hits.first, "\(name): \(one.text)")
                    func letters(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
                    let found = try await Self.quoted(hit.start..<hit.end, of: book, bench)
                    #expect(letters(found) == letters(one.text), "\(name)")
                    let number = try await bench.library.store.pages(of: [hit.start], in: book.id)[0].number
                    #expect(number == hit.page)
                }
            }
        }
    }
}
