import Books
import GatewayAPI
import TestSupport
import Testing

/// Results take near sentences, and hits of one paragraph become one result.
@Suite struct NearSentenceTests {
    private func start(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return NearSentences.firstStart(in: bytes).map { String(decoding: bytes[$0...], as: UTF8.self) }
    }

    private func end(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return NearSentences.lastEnd(in: bytes).map { String(decoding: bytes[..<$0], as: UTF8.self) }
    }

    @Test func `sentences begin and end at punctuation that white space follows`() {
        #expect(start("half one. Whole two. ") == "Whole two. ")
        #expect(start("no border here") == nil && start("at its end. ") == nil && start("") == nil)
        #expect(start("he said “so.” She went") == "She went")
        #expect(start("3.14 and 2.5") == nil)
        #expect(start("潮は満ちた。月が出た") == "月が出た")
        #expect(end(" Whole one! half two") == " Whole one!")
        #expect(end(" One. (Two?) Three.\nFour") == " One. (Two?) Three.")
        #expect(end("nothing") == nil && end("ends.") == nil)
        #expect(end("終わり。”つづ") == "終わり。”")
    }

    @Test func `an empty line is the border of a paragraph`() {
        #expect(NearSentences.hasParagraphBorder(Array("a\n\nb".utf8)))
        #expect(NearSentences.hasParagraphBorder(Array("a\n \r\nb".utf8)))
        #expect(!NearSentences.hasParagraphBorder(Array("a\nb\nc ".utf8)))
    }

    @Test(.slow) func `more results never change the first ones, and none crosses the position`() async throws {
        try await LibraryBench.with { bench in
            let text = SampleText.book(paragraphs: 40, sentences: 30)
            let book = try await bench.imported(text)
            let bytes = Array(text.utf8)
            for query in ["quay100 harbour tide", "storm letter quay600", "rope quay7 quay8 quay12"] {
                let few = try await bench.retrieve(query, in: book.id, limit: 3).results
                let many = try await bench.retrieve(query, in: book.id, limit: 20).results
                #expect(few.map(\.start) == many.prefix(3).map(\.start) && few.map(\.end) == many.prefix(3).map(\.end))
                for (index, result) in many.enumerated() {
                    #expect(many[..<index].allSatisfy { $0.end <= result.start || $0.start >= result.end })
                    #expect(result.end - result.start <= 2000 + 120 + 250 + 2 * 400)
                    #expect(result.text == String(decoding: bytes[result.start..<result.end], as: UTF8.self))
                }
            }
            let limit = text.utf8.count / 3
            _ = try await bench.library.positions.set(.offset(limit), of: book.id)
            let found = try await bench.retrieve("harbour tide storm", in: book.id, limit: 20)
            #expect(!found.results.isEmpty && found.results.allSatisfy { $0.end <= limit })
        }
    }
}
