import Testing

@testable import Documents

/// Checks what holds for every document, whatever file it was read from.
func expectPromises(_ document: Document, _ name: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    let utf8 = Array(document.text.utf8)
    func isBorder(_ place: Int) -> Bool { place == utf8.count || (place < utf8.count && utf8[place] & 0xC0 != 0x80) }
    func check(_ holds: Bool, _ what: Comment) {
        #expect(holds, "\(name): \(what)", sourceLocation: sourceLocation)
    }
    check(
        document.text.unicodeScalars.elementsEqual(CanonicalText.canonical(document.text).unicodeScalars), "canonical")
    check(document.pages.first?.range.lowerBound == 0, "the first page begins the text")
    check(document.pages.last?.range.upperBound == utf8.count, "the last page ends the text")
    check(
        zip(document.pages, document.pages.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound },
        "pages")
    check(document.pages.map(\.number) == Array(1...max(1, document.pages.count)), "page numbers")
    check(document.pages.allSatisfy { isBorder($0.range.lowerBound) && isBorder($0.range.upperBound) }, "page borders")
    check(
        zip(document.blocks, document.blocks.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound },
        "blocks")
    check(
        document.blocks.allSatisfy {
            !$0.range.isEmpty && isBorder($0.range.lowerBound) && isBorder($0.range.upperBound)
        }, "block borders")
    check((document.blocks.last?.range.upperBound ?? 1) <= utf8.count, "blocks inside")
    check(
        document.headings.allSatisfy { $0.range.upperBound <= utf8.count && (1...6).contains($0.level) },
        "headings inside")
    check(
        document.headings.allSatisfy { isBorder($0.range.lowerBound) && isBorder($0.range.upperBound) },
        "heading borders")
    check(
        zip(document.headings, document.headings.dropFirst()).allSatisfy { $0.range.lowerBound <= $1.range.lowerBound },
        "heading order")
    var place = 0
    for block in document.blocks where block.range.upperBound <= utf8.count {
        check(
            utf8[place..<max(place, block.range.lowerBound)].allSatisfy { $0 <= 0x20 },
            "only white space between blocks")
        place = block.range.upperBound
    }
    check(utf8[min(place, utf8.count)...].allSatisfy { $0 <= 0x20 }, "only white space behind the blocks")
}

extension Document {
    func text(_ range: Range<Int>) -> String { String(decoding: Array(text.utf8)[range], as: UTF8.self) }
    var blockTexts: [String] { blocks.map { text($0.range) } }
    var kinds: [DocumentBlock.Kind] { blocks.map(\.kind) }
}
