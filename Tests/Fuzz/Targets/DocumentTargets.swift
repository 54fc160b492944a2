@testable import DocumentReading
@testable import Documents

/// Documents of strangers: any bytes give an error, or a document whose ranges are in its text.
enum DocumentTargets {
    static let epub: FuzzBody = { read($0, "a.epub") }
    static let docx: FuzzBody = { read($0, "a.docx") }
    static let text: FuzzBody = { read($0, "a.txt") }
    static let markdown: FuzzBody = { read($0, "a.md") }

    /// The first byte decides whether the page is read whole.
    static let html: FuzzBody = { bytes in
        var input = Input(bytes)
        let content: HTMLContent = input.byte() & 1 == 0 ? .whole : .articleAndLinks
        read(Array(input.rest), "a.html", content)
    }

    /// A message of a reading process is read as it was written, or refused.
    static let message: FuzzBody = { bytes in
        _ = DocumentMessage.length(bytes)
        guard let outcome = try? DocumentMessage.decode(bytes), case .success(let document) = outcome else { return }
        let end = document.text.utf8.count
        promise(document.blocks.allSatisfy { $0.range.upperBound <= end }, "a block outside the text")
        let body = Array(DocumentMessage.encode(outcome).dropFirst(DocumentMessage.headBytes))
        promise((try? DocumentMessage.decode(body)) != nil, "a message is not read again")
    }

    private static func read(_ bytes: [UInt8], _ name: String, _ content: HTMLContent = .whole) {
        var limits = DocumentLimits()
        limits.textBytes = 1 << 20
        limits.unpackedBytes = 4 << 20
        guard let document = try? DocumentReader.read(bytes, name: name, content: content, limits: limits) else {
            return
        }
        let utf8 = Array(document.text.utf8)
        func isBorder(_ place: Int) -> Bool {
            place == utf8.count || (utf8.indices.contains(place) && utf8[place] & 0xC0 != 0x80)
        }
        let ranges = document.pages.map(\.range) + document.blocks.map(\.range) + document.headings.map(\.range)
        promise(ranges.allSatisfy { isBorder($0.lowerBound) && isBorder($0.upperBound) }, "a range cuts a character")
        promise(document.pages.first?.range.lowerBound == 0, "the first page begins the text")
        promise(document.pages.last?.range.upperBound == utf8.count, "the last page ends the text")
        let blocks = document.blocks
        promise(
            zip(blocks, blocks.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }, "blocks overlap")
        promise(CanonicalText.canonical(utf8) == utf8, "the text is not canonical")
    }
}
