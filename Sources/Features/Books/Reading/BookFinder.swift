package import BookRoom
import Documents
package import GatewayAPI
import Text

/// Finds exact text in a book, whatever its case, quotation marks, dashes, white space and line breaks.
package struct BookFinder: Sendable {
    /// The text that is searched at once, in bytes.
    static let partBytes = 128 << 10
    /// The text before and after a hit, in bytes of the view.
    static let contextBytes = 80
    /// The largest number of hits that are counted.
    static let maxHits = 100_000

    let store: BookRoom

    package init(store: BookRoom) { self.store = store }

    /// Returns a page of hits in the order of the text.
    ///
    /// - Parameters:
    ///   - after: Hits up to this one, counted from 0, are left out; nil for the first page.
    ///   - limit: The maximum number of hits.
    ///   - end: Nothing at or beyond this offset is found; nil for the whole text.
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(
        _ text: String, in id: Int64, after: Int?, limit: Int, before end: Int? = nil
    ) async throws -> BookHits {
        let book = try await store.find(id)
        let needle = FindFolding(text, maxBytes: .max).trimmed
        let first = after.map { $0 + 1 } ?? 0
        let end = min(end ?? book.textBytes, book.textBytes)
        var hits: [BookHits.Hit] = []
        var total = 0
        var start = 0
        var seen = -1
        while !needle.isEmpty, start < end, total < Self.maxHits {
            try Task.checkCancellation()
            let blocks = try await store.blocks(of: id, touching: start..<min(end, start + Self.partBytes))
            let stop = min(end, max(start + Self.partBytes, blocks.last?.end ?? 0))
            let found = try await store.text(of: id, in: start..<stop)
            let part = BookPart(found.range, found.text, blocks: blocks)
            let view = part.view
            let folded = FindFolding(view.text, maxBytes: .max)
            for match in folded.ranges(of: needle) {
                let range = part.range(of: match, in: view)
                guard range.lowerBound > seen, range.upperBound <= end, total < Self.maxHits else { continue }
                seen = range.lowerBound
                if total >= first, hits.count < limit { hits.append(hit(range, match, view)) }
                total += 1
            }
            // A phrase may go on behind the part, so the last block is searched again.
            let last = blocks.last.map(\.start) ?? stop
            start = stop < end && last > start && stop - last < Self.partBytes / 2 ? last : stop
        }
        let pages = try await store.pages(of: hits.map(\.start), in: id)
        for index in hits.indices { (hits[index].page, hits[index].label) = pages[index] }
        let next = first + hits.count
        return BookHits(
            hits: hits, total: total, nextCursor: next < total && !hits.isEmpty ? String(next - 1) : nil)
    }

    private func hit(_ range: Range<Int>, _ match: Range<Int>, _ view: ReadingView) -> BookHits.Hit {
        let text = view.text
        func part(_ range: Range<Int>) -> String { UTF8Border.part(of: text, range).text }
        return BookHits.Hit(
            start: range.lowerBound, end: range.upperBound, page: 1, label: nil,
            before: part(max(0, match.lowerBound - Self.contextBytes)..<match.lowerBound), match: part(match),
            after: part(match.upperBound..<match.upperBound + Self.contextBytes))
    }
}

/// A text folded for exact search, with the offset of each folded byte's character.
struct FindFolding {
    private(set) var bytes: [UInt8] = []
    /// For each folded byte, and for the end.
    private var starts: [Int] = []
    private var ends: [Int] = []

    init(_ text: String, maxBytes: Int) {
        bytes.reserveCapacity(text.utf8.count)
        starts.reserveCapacity(text.utf8.count)
        ends.reserveCapacity(text.utf8.count)
        let scalars = text.unicodeScalars
        var (offset, place) = (0, scalars.startIndex)
        while place < scalars.endIndex, offset < maxBytes {
            let scalar = scalars[place]
            let start = place
            scalars.formIndex(after: &place)
            var width = UTF8.width(scalar)
            // A letter with its marks is folded as a whole, because it may be stored composed or decomposed.
            while place < scalars.endIndex, Self.composes(scalars[place]) {
                width += UTF8.width(scalars[place])
                scalars.formIndex(after: &place)
            }
            defer { offset += width }
            let isAlone = width == UTF8.width(scalar)
            for byte in isAlone ? Self.fold(scalar) : TextFolding.fold(String(scalars[start..<place])) {
                // White space of any length is one space.
                if byte == 0x20, bytes.last == 0x20 { continue }
                bytes.append(byte)
                starts.append(offset)
                ends.append(offset + width)
            }
        }
    }

    /// The bytes without white space at the ends.
    var trimmed: [UInt8] {
        let start = bytes.first == 0x20 ? 1 : 0
        let end = bytes.last == 0x20 ? bytes.count - 1 : bytes.count
        return start < end ? Array(bytes[start..<end]) : []
    }

    /// Where a folded needle occurs, as offsets of the text; occurrences do not overlap.
    func ranges(of needle: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        guard let first = needle.first, bytes.count >= needle.count else { return found }
        var place = 0
        while place <= bytes.count - needle.count {
            guard let next = bytes[place...(bytes.count - needle.count)].firstIndex(of: first) else { break }
            if bytes[next..<next + needle.count].elementsEqual(needle) {
                found.append(starts[next]..<ends[next + needle.count - 1])
                place = next + needle.count
            } else {
                place = next + 1
            }
        }
        return found
    }

    /// Whether a character may compose with the one before: a combining mark, or a vowel or an end of a Hangul syllable.
    private static func composes(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        return (0x1160...0x11FF).contains(scalar.value)
            || scalar.properties.canonicalCombiningClass != .notReordered
    }

    private static func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        switch scalar.value {
        case 0x41...0x5A: [UInt8(scalar.value | 0x20)]
        case 0x09...0x0D, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: [0x20]
        case 0xAD, 0x200B...0x200D, 0x2060, 0xFEFF: []
        case 0..<0x80: [UInt8(scalar.value)]
        case 0x2018...0x201B, 0x2032: [0x27]
        case 0x201C...0x201F, 0x2033, 0xAB, 0xBB: [0x22]
        case 0x2010...0x2015, 0x2212: [0x2D]
        case 0x2026: [0x2E, 0x2E, 0x2E]
        default: TextFolding.fold(String(scalar))
        }
    }
}
