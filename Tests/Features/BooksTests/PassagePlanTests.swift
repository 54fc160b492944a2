import BookRoom
import Books
import Documents
import Storage
import Testing
import TestSupport

@testable import Text

/// How a document is cut into passages.
@Suite struct PassagePlans {
    private func document(_ text: String) throws -> Document {
        try DocumentReader.read(Array(text.utf8), name: "book.txt")
    }

    @Test func `passages are whole sentences of one section and cover the text`() throws {
        let text = SampleText.book(paragraphs: 120, chapters: 5)
        let document = try document(text)
        let bytes = Array(text.utf8)
        let passages = PassagePlan(document).passages
        #expect(passages.count > 30)
        var covered = 0
        for (index, passage) in passages.enumerated() {
            #expect(passage.number == index)
            #expect(passage.range.count <= PassagePlan.sizes.most)
            let shown = String(decoding: bytes[passage.range], as: UTF8.self)
            #expect(shown.hasSuffix(".") || shown.hasPrefix("CHAPTER"))
            #expect(shown.hasPrefix("The quay") || shown.hasPrefix("CHAPTER"))
            // Only white space lies between a passage and those before it.
            if passage.range.lowerBound > covered {
                #expect(bytes[covered..<passage.range.lowerBound].allSatisfy { $0 <= 0x20 })
            }
            if index > 0 {
                #expect(passage.range.lowerBound > passages[index - 1].range.lowerBound)
                #expect(passage.range.upperBound > passages[index - 1].range.upperBound)
            }
            covered = max(covered, passage.range.upperBound)
            for heading in document.headings where heading.range.lowerBound > passage.range.lowerBound {
                #expect(heading.range.lowerBound >= passage.range.upperBound)
            }
        }
        #expect(bytes[covered...].allSatisfy { $0 <= 0x20 })
        let overlapping = zip(passages, passages.dropFirst()).count { $0.range.upperBound > $1.range.lowerBound }
        #expect(overlapping > passages.count / 3)
    }

    @Test func `a page is crossed only by a paragraph that crosses it`() {
        let first = "One sentence on the first page. " + String(repeating: "More words here. ", count: 20)
        let second = "A paragraph begins here and"
        let third = "goes on over the page. It ends there."
        let text = first + "\n\n" + second + "\n" + third + "\n\nThe last paragraph of its own page."
        let bytes = text.utf8.count
        let border = first.utf8.count + 2 + second.utf8.count + 1
        let last = bytes - "The last paragraph of its own page.".utf8.count
        var document = Document(
            format: .pdf, text: text,
            pages: [
                DocumentPage(number: 1, range: 0..<border), DocumentPage(number: 2, range: border..<last),
                DocumentPage(number: 3, range: last..<bytes),
            ], numbering: .physical)
        document.blocks = [
            DocumentBlock(kind: .paragraph, range: 0..<first.utf8.count - 1),
            DocumentBlock(kind: .paragraph, range: first.utf8.count + 2..<last - 2),
            DocumentBlock(kind: .paragraph, range: last..<bytes),
        ]
        let passages = PassagePlan(document).passages
        #expect(passages.contains { $0.page == 1 && $0.lastPage == 2 })
        #expect(passages.last?.page == 3 && passages.last?.range.lowerBound == last)
        // The view joins the two lines.
        #expect(passages.contains { $0.view?.contains("begins here and goes on over the page.") == true })
    }

    @Test func `a stop after an abbreviation or an initial ends no sentence of prose`() {
        let text = "We met Mr. Sherlock Holmes and Dr. J. H. Watson at St. James. Then it rained."
        let borders = TextBorders(text, limit: .max, kind: .prose)
        let sentences = (1..<text.utf8.count).filter {
            borders.nearest(to: $0, in: $0..<$0 + 1, atLeast: .sentence) != nil
        }
        #expect(sentences == [text.utf8.count - "Then it rained.".utf8.count])
    }

    @Test func `a line end within a paragraph of prose is a space`() {
        let text = "A line\nthat goes on. And\nanother.\n\nNext."
        let borders = TextBorders(text, limit: .max, kind: .prose)
        func places(_ kind: TextBorders.Kind) -> [Int] {
            (1..<text.utf8.count).filter { borders.nearest(to: $0, in: $0..<$0 + 1, atLeast: kind) != nil }
        }
        #expect(places(.sentence) == [21, 34, 35] || places(.sentence) == [21, 33, 34, 35])
        #expect(places(.paragraph) == [35])
    }

    @Test func `notes are cut as before`() {
        let text = SampleText.book(paragraphs: 40)
        let passages = Chunker.passages(title: "t", content: text)
        #expect(Chunker.version == 1 && passages.count > 5)
        #expect(passages.allSatisfy { $0.range.count <= Chunker.maxBytes })
    }
}
