import CSearch

/// A folded text that is sought in texts as they were written, most of which need not be folded for that.
///
/// Folding a text costs many times what looking through its bytes does. When all that is sought is ASCII, and letters of
/// which every way to write them is known, a text has it where one of these ways stands, character by character, unless
/// the text holds something that composes or folds in a way of its own; only then it is folded. Of other things that are
/// sought, one known letter at least has to be there.
struct FoldedNeedle: Sendable {
    /// What is known without folding.
    enum Verdict { case absent, present, open }

    /// A character, and the ways to write it, which have all the same number of bytes.
    private struct Piece {
        var spellings: [[UInt8]]
        var count: Int { spellings[0].count }
    }

    private let folded: [UInt8]
    /// All characters, when all are known.
    private let pieces: [Piece]
    /// The character that is looked for first, and the bytes before it; nil when none is known.
    private let anchor: (piece: Piece, offset: Int)?
    /// Bytes of characters that can become, or make others become, one that is known.
    private let hints: [[UInt8]]

    /// - Parameter text: Folded by ``FoldedContains/fold(_:)``.
    init(folded text: String) {
        folded = Array(text.utf8)
        var pieces: [Piece] = []
        var anchor: (piece: Piece, offset: Int)?
        var offset = 0
        var areKnown = true
        for scalar in text.unicodeScalars {
            if let piece = Self.piece(scalar) {
                // Han characters are rarer than letters.
                if scalar.value >= 0x80, anchor == nil || (Self.isIdeograph(scalar) && anchor?.piece.count != 3) {
                    anchor = (piece, offset)
                }
                pieces.append(piece)
            } else {
                areKnown = false
            }
            offset += String(scalar).utf8.count
        }
        self.anchor = anchor
        self.pieces = areKnown ? pieces : []
        var hints: [[UInt8]] = []
        // Combining marks; the rest of Latin, Greek and Cyrillic; signs that fold to letters.
        if !pieces.allSatisfy({ $0.count == 3 }) || !areKnown {
            hints += [[0xCC], [0xCD], [0xE1], [0xE2, 0x84], [0xC4, 0xB0]]
        }
        // What composing replaces by Han characters.
        if pieces.contains(where: { $0.count == 3 }) { hints += [[0xEF], [0xF0, 0xAF]] }
        self.hints = hints
    }

    private static func piece(_ scalar: Unicode.Scalar) -> Piece? {
        let text = String(scalar)
        if isIdeograph(scalar) { return Piece(spellings: [Array(text.utf8)]) }
        guard scalar.value < 0x80 || isLetter(scalar) else { return nil }
        let ways = [text, scalar.properties.uppercaseMapping, scalar.properties.titlecaseMapping]
        // The upper case of ß is SS, which folds to something else.
        let same = Set(ways.filter { FoldedContains.fold($0) == text }).map { Array($0.utf8) }
        guard let first = same.first, same.allSatisfy({ $0.count == first.count }) else { return nil }
        return Piece(spellings: same)
    }

    /// Han characters: nothing is made of them, and they are made of compatibility ideographs alone.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool { (0x3400...0x9FFF).contains(scalar.value) }

    /// Latin and Cyrillic letters of which all ways to write them are known.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0xC0...0x233).contains(scalar.value) || (0x430...0x45F).contains(scalar.value)
    }

    /// What the bytes of a text tell.
    func verdict(_ text: UnsafeRawBufferPointer) -> Verdict {
        guard let anchor else { return .open }
        var isThere = false
        for spelling in anchor.piece.spellings {
            var from = 0
            while let found = Self.find(spelling, in: text, from: from) {
                isThere = true
                // One occurrence settles nothing when there are characters that are not known.
                guard !pieces.isEmpty else { return .open }
                if matches(text, at: found - anchor.offset) {
                    let end = found - anchor.offset + folded.count
                    // An ASCII character leaves what is before it as it is.
                    return end == text.count || text[end] < 0x80 || !hasHint(text) ? .present : .open
                }
                from = found + 1
            }
        }
        return !(isThere && pieces.isEmpty) && !hasHint(text) ? .absent : .open
    }

    private func matches(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start >= 0, start + folded.count <= text.count else { return false }
        var place = start
        for piece in pieces {
            let bytes = text[place..<(place + piece.count)]
            guard piece.spellings.contains(where: { bytes.elementsEqual($0) }) else { return false }
            place += piece.count
        }
        return true
    }

    private func hasHint(_ text: UnsafeRawBufferPointer) -> Bool {
        hints.contains { Self.find($0, in: text, from: 0) != nil }
    }

    /// Whether a text that was folded holds what is sought.
    func isIn(folded text: String) -> Bool {
        var text = text
        return text.withUTF8 { Self.find(folded, in: UnsafeRawBufferPointer($0), from: 0) != nil }
    }

    private static func find(_ bytes: [UInt8], in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard !bytes.isEmpty else { return start }
        guard let base = text.baseAddress, text.count >= start + bytes.count else { return nil }
        return bytes.withUnsafeBytes { sought in
            guard let first = sought.baseAddress,
                let found = selene_find(base + start, text.count - start, first, sought.count)
            else { return nil }
            return found - base
        }
    }
}
