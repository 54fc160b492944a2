import BookRoom
import Books
import Foundation
import GatewayAPI
import Storage
import Testing
import TestSupport

/// Nothing of a book beyond the reading position is in any result.
@Suite struct ReadingPositions {
    /// The number of the last sentence that begins before an offset, and of the first one that ends after it.
    private func lastSentence(before offset: Int, in text: [UInt8]) -> Int {
        let part = String(decoding: text[..<offset], as: UTF8.self)
        return part.matches(of: #/quay(\d+) /#).compactMap { Int($0.1) }.last ?? -1
    }

    @Test(.slow) func `whatever the position and the query, no byte beyond it is found and the limit is filled`()
        async throws
    {
        try await LibraryBench.with { bench in
            let text = SampleText.book(paragraphs: 80)
            let bytes = Array(text.utf8)
            let book = try await bench.imported(text)
            var generator = SeededGenerator(7)
            for round in 0..<60 {
                let wanted =
                    round < 4 ? [0, 1, 40, bytes.count][round] : Int.random(in: 0...bytes.count, using: &generator)
                let set = try await bench.library.positions.set(.offset(wanted), of: book.id)
                let position = try #require(set.position)
                #expect(position.offset <= wanted && wanted - position.offset < 4)
                let last = lastSentence(before: position.offset, in: bytes)
                // Words that stand right before and right after the position, and anywhere.
                for number in [last - 1, last, last + 1, last + 2, Int.random(in: 0...400, using: &generator)] {
                    let found = try await bench.retrieve("quay\(max(0, number)) tide", in: book.id)
                    #expect(found.position == position.offset)
                    for result in found.results {
                        #expect(result.end <= position.offset, "round \(round)")
                        for match in result.text.matches(of: #/quay(\d+) /#) {
                            #expect((Int(match.1) ?? .max) <= last, "round \(round)")
                        }
                    }
                    if position.offset > 12_000 { #expect(found.results.count == 6, "round \(round)") }
                }
            }
        }
    }

    @Test(.slow) func `the last sentence before the position is found although its passage goes on`() async throws {
        try await LibraryBench.with { bench in
            let text = SampleText.book(paragraphs: 80)
            let bytes = Array(text.utf8)
            let book = try await bench.imported(text)
            for number in stride(from: 20, to: 390, by: 23) {
                let end = try #require(text.range(of: "The quay\(number + 1) "))
                let offset = text.utf8.distance(from: text.startIndex, to: end.lowerBound)
                _ = try await bench.library.positions.set(.offset(offset), of: book.id)
                #expect(lastSentence(before: offset, in: bytes) == number)
                let found = try await bench.retrieve("quay\(number)", in: book.id)
                // The cut passage has no vector yet, so others may be nearer.
                #expect(found.results.contains { $0.text.contains("quay\(number) ") }, "\(number)")
                let ahead = try await bench.retrieve("quay\(number + 1)", in: book.id)
                #expect(ahead.results.allSatisfy { !$0.text.contains("quay\(number + 1) ") }, "\(number)")
                let all = try await bench.retrieve("quay\(number + 1)", in: book.id, ignoringPosition: true)
                #expect(all.results.first?.text.contains("quay\(number + 1) ") == true && all.position == nil)
            }
            let cleared = try await bench.library.positions.clear(book.id)
            #expect(cleared.position == nil)
            #expect(try await bench.retrieve("quay398", in: book.id).results.first?.text.contains("quay398 ") == true)
        }
    }

    @Test(.slow) func `each book of a library has its own position`() async throws {
        try await LibraryBench.with { bench in
            let books = [
                try await bench.imported(SampleText.book(seed: 1), name: "a.txt"),
                try await bench.imported(SampleText.book(seed: 2), name: "b.txt"),
            ]
            _ = try await bench.library.positions.set(.percent(25), of: books[0].id)
            let limit = try #require(try await bench.library.store.find(books[0].id).position?.offset)
            let found = try await bench.retrieve("quay250", limit: 20)
            #expect(found.results.first?.book == books[1].id)
            for result in found.results where result.book == books[0].id { #expect(result.end <= limit) }
            #expect(found.results.contains { $0.book == books[1].id && $0.end > limit })
        }
    }

    @Test func `a page means that it was read to its end, and the cut passage gets a vector`() async throws {
        try await LibraryBench.with { bench in
            let book = try await bench.imported(SampleText.book())
            let page = try await bench.library.store.page(3, of: book.id)
            let set = try await bench.library.positions.set(.page(3), of: book.id)
            #expect(set.position?.offset == page.end && set.position?.page == 3)
            #expect(set.passages == book.passages && set.embedded == book.embedded)
            let middle = try await bench.library.positions.set(.offset((page.start + page.end) / 2), of: book.id)
            #expect(middle.state == .ready)
            let running = Task { try await bench.library.run() }
            let space = try #require(try await bench.database.spaces.active())
            try await waitUntil { try await bench.database.books.incomplete(in: space.id).isEmpty }
            running.cancel()
            _ = await running.result
            let tails = try await bench.database.books.vectors(
                in: space.id, dimensions: space.space.dimensions, of: book.id, from: BookPassageRow.tails, limit: 2)
            #expect(tails.count == 1)
            await #expect(throws: StorageError.self) { try await bench.library.positions.set(.page(999), of: book.id) }
            await #expect(throws: BookRefusal.noLabel("xii")) {
                try await bench.library.positions.set(.label("xii"), of: book.id)
            }
        }
    }
}
