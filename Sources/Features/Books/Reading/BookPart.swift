import BookRoom
import Documents
import GatewayAPI

/// A part of a stored book as a small document, for the reading view.
struct BookPart {
    /// In bytes of the book's text.
    let range: Range<Int>
    let text: String
    private let document: Document

    /// - Parameter blocks: The blocks that touch the range, in order.
    init(_ range: Range<Int>, _ text: String, blocks: [BookPage.Block]) {
        self.range = range
        self.text = text
        let length = text.utf8.count
        let base = range.lowerBound
        document = Document(
            format: .text, text: text, pages: [DocumentPage(number: 1, range: 0..<length)], numbering: .estimated,
            blocks: blocks.compactMap { block in
                let shifted = (block.start - base..<max(block.start, block.end) - base).clamped(to: 0..<length)
                guard !shifted.isEmpty, let kind = DocumentBlock.Kind(rawValue: block.kind) else { return nil }
                return DocumentBlock(kind: kind, range: shifted)
            })
    }

    /// The part as a person reads it.
    var view: ReadingView { ReadingView(document) }

    /// The book's bytes that a range of ``view`` shows.
    func range(of part: Range<Int>, in view: ReadingView) -> Range<Int> {
        let local = view.canonicalRange(of: part)
        return range.lowerBound + local.lowerBound..<range.lowerBound + local.upperBound
    }

    /// Where the bytes of ``view`` lie in the book's text, for ``GatewayAPI/ChatPassage/offsets``; nil for a plain copy.
    func offsets(of view: ReadingView) -> [[Int]]? {
        let pairs = view.distances.map { [$0.view, range.lowerBound + $0.canonical] }
        return pairs.count <= 1 && pairs.first.map { $0 == [0, range.lowerBound] } ?? true ? nil : pairs
    }
}

extension BookSnapshot {
    /// Loads a range of a book's text with its blocks. The ends move outwards to scalar borders.
    ///
    /// - Throws: ``StorageError``.
    func part(of id: Int64, _ range: Range<Int>) throws -> BookPart {
        let found = try text(of: id, in: range)
        return BookPart(found.range, found.text, blocks: try blocks(of: id, touching: found.range))
    }
}

extension BookRoom {
    /// Loads a range of a book's text with its blocks. The ends move outwards to scalar borders.
    ///
    /// - Throws: ``StorageError``.
    func part(of id: Int64, _ range: Range<Int>) async throws -> BookPart {
        try await reading { try $0.part(of: id, range) }
    }
}
