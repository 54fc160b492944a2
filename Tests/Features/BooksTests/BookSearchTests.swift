import BookRoom
import Books
import GatewayAPI
import Storage
import Testing
import TestSupport

/// What a search of books asks of SQLite.
struct BookSearch {
    @Test(.slow) func `many results are read in as few transactions as one, and each is what its range says`()
        async throws
    {
        let seen = Locked([StatementTrace.Event]())
        try await StatementTrace.$observer.withValue({ event in seen.change { $0.append(event) } }) {
            try await LibraryBench.with { bench in
                let text = SampleText.book(paragraphs: 40, sentences: 30)
                let book = try await bench.imported(text)
                // The first search also opens the index.
                _ = try await bench.retrieve("quay100", in: book.id)
                var reads: [Int] = []
                for limit in [1, 20] {
                    seen.change { $0 = [] }
                    let found = try await bench.retrieve("storm letter quay600", in: book.id, limit: limit)
                    reads.append(seen.value.count { !$0.isWriter && $0.sql.hasPrefix("BEGIN") })
                    #expect(found.results.count == limit)
                    for result in found.results {
                        let part = try await bench.library.store.text(of: book.id, in: result.start..<result.end)
                        #expect(part.text == result.text && result.title == book.title)
                    }
                }
                // The names of the books, the hits, the results; what else the index looks at is one more at most.
                #expect(reads[0] == reads[1] && reads[0] <= 4, "\(reads)")
            }
        }
    }

    @Test(.slow) func `a book that is deleted during a search is not among its results, and an unknown one is refused`()
        async throws
    {
        try await LibraryBench.with { bench in
            let kept = try await bench.imported(SampleText.book(seed: 2), name: "kept.txt")
            let lost = try await bench.imported(SampleText.book(seed: 3), name: "lost.txt")
            #expect(try await bench.retrieve("quay5", limit: 20).results.contains { $0.book == lost.id })
            _ = try await bench.library.store.delete(lost.id)
            let found = try await bench.retrieve("quay5", limit: 20).results
            #expect(!found.isEmpty && found.allSatisfy { $0.book == kept.id && $0.title == kept.title })
            await #expect(throws: StorageError.self) { try await bench.retrieve("quay5", in: lost.id) }
        }
    }
}
