import TestSupport
import Testing

@testable import Documents

@Suite struct PageCutting {
    static let sentence = "The tide comes in twice a day, and nobody has ever seen it hurry. "

    static let texts = [
        (
            "paragraphs",
            (0..<100).map { "P\($0). " + String(repeating: PageCutting.sentence, count: 3 + $0 % 5) }.joined(
                separator: "\n\n")
        ),
        ("one paragraph", String(repeating: PageCutting.sentence, count: 500)),
        ("Chinese", String(repeating: "潮起潮落，日复一日。没有人见过它匆忙！", count: 900)),
        ("one word", String(repeating: "x", count: 50_000)),
        ("words", String(repeating: "word ", count: 9000)),
    ]

    @Test(arguments: texts.indices) func pagesHaveTheSizeOfPages(_ index: Int) throws {
        let (name, text) = Self.texts[index]
        let document = try DocumentReader.read(Array(text.utf8), name: "a.txt")
        expectPromises(document, "\(name)")
        for page in document.pages.dropLast() {
            let count = document.text(page.range).unicodeScalars.count
            #expect((PageCutter.least...PageCutter.most).contains(count), "\(name)")
        }
        let starts = Set(document.pages.dropFirst().map { document.text($0.range).prefix(4) })
        if name == "paragraphs" { #expect(starts.allSatisfy { $0.hasPrefix("P") }) }
        if name == "one paragraph" { #expect(starts == ["The "]) }
        if name == "Chinese" { #expect(starts.allSatisfy { $0.hasPrefix("潮起") || $0.hasPrefix("没有") }) }
    }

    @Test func noPageEndsWithAHeading() throws {
        let text = (0..<60).map { "# H\($0)\n\n" + String(repeating: Self.sentence, count: 20 + $0 % 9) }.joined(
            separator: "\n\n")
        var builder = DocumentBuilder(limits: DocumentLimits())
        for part in text.split(separator: "\n\n") {
            builder.append(part.hasPrefix("#") ? .heading : .paragraph, BlockText(String(part)), level: 1)
        }
        let document = try builder.document(.text, DocumentMetadata(), paging: .estimated)
        expectPromises(document, "headings")
        #expect(
            document.pages.dropLast().allSatisfy { page in
                document.blocks.last { $0.range.upperBound <= page.range.upperBound }?.kind == .paragraph
            })
    }
}
