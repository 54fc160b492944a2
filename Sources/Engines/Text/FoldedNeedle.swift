import CMemory

/// Searches unfolded texts for a folded text, and folds only the few texts where that is necessary.
///
/// Folding a text costs many times more than searching its bytes. A character is *known* if all its spellings are
/// known: ASCII, Han characters and most letters of Latin and Cyrillic. When all characters of the needle are known, a
/// text contains the needle where their spellings follow each other. Only a text with characters that compose or fold
/// in other ways is folded first. When some characters of the needle are unknown, texts without its rarest known
/// character are skipped.
package struct FoldedNeedle: Sendable {
    /// The result of a search without folding. `open` means that the text must be folded.
    private enum Verdict { case absent, present, open }

    /// A character and its spellings, which all have the same number of bytes.
    private struct Piece {
        var spellings: [[UInt8]]
        var count: Int { spellings[0].count }
    }

    private let folded: [UInt8]
    /// All characters; empty unless all are known.
    private let pieces: [Piece]
    /// The known character that is searched for first, and its offset; nil when none is known.
    private let anchor: (piece: Piece, offset: Int)?
    private let isASCII: Bool
    private let hasSpace: Bool
    /// Bytes of characters that fold to, or change the folding of, a known character.
    private let hints: [[UInt8]]
    /// The kinds of ``FoldedSigns`` that fold to a character of the needle, or to nothing.
    private let signs: UInt8

    /// - Parameter text: Folded by ``TextFolding``.
    package init(folded text: String) {
        folded = Array(text.utf8)
        var pieces: [Piece] = []
        var anchor: (piece: Piece, offset: Int, rank: Int)?
        var offset = 0
        var areKnown = true
        for scalar in text.unicodeScalars {
            if let piece = Self.piece(scalar) {
                let rank = Self.rarity(of: scalar)
                if rank > anchor?.rank ?? -1 { anchor = (piece, offset, rank) }
                pieces.append(piece)
            } else {
                areKnown = false
            }
            offset += String(scalar).utf8.count
        }
        self.anchor = anchor.map { ($0.piece, $0.offset) }
        self.pieces = areKnown ? pieces : []
        isASCII = folded.allSatisfy { $0 < 0x80 }
        hasSpace = folded.contains(0x20)
        hints = Self.hints(pieces: pieces, areKnown: areKnown, folded)
        signs = FoldedSigns.kinds(foldingInto: folded)
    }

    private static func hints(pieces: [Piece], areKnown: Bool, _ folded: [UInt8]) -> [[UInt8]] {
        var hints: [[UInt8]] = []
        // Combining marks; the rest of Latin, Greek and Cyrillic; signs that fold to letters.
        if !pieces.allSatisfy({ $0.count == 3 }) || !areKnown {
            hints += [[0xCC], [0xCD], [0xE1], [0xE2, 0x84], [0xC4, 0xB0]]
        }
        // Characters that composing replaces by Han characters; those of full and half width.
        if pieces.contains(where: { $0.count == 3 }) { hints += [[0xF0, 0xAF]] }
        hints.append([0xEF])
        // ı; ß and ſ; ŉ. Their upper case is ASCII.
        if folded.contains(UInt8(ascii: "i")) { hints.append([0xC4, 0xB1]) }
        if folded.contains(UInt8(ascii: "s")) { hints += [[0xC3, 0x9F], [0xC5, 0xBF]] }
        if folded.contains(UInt8(ascii: "n")) { hints.append([0xC5, 0x89]) }
        // The index's separator bytes become spaces.
        if folded.contains(0x20) { hints += [[0x00], [0x01]] }
        return hints
    }

    /// How rare a character is. Han characters are rarer than other letters, which are rarer than ASCII.
    private static func rarity(of scalar: Unicode.Scalar) -> Int {
        if isIdeograph(scalar) { return 102 }
        if scalar.value >= 0x80 { return 101 }
        // From the most frequent in European text to the least.
        let order = Array(" etaonisrhldcumfpgwybvkxjqz".unicodeScalars)
        return order.firstIndex(of: scalar) ?? 100
    }

    private static func piece(_ scalar: Unicode.Scalar) -> Piece? {
        let text = String(scalar)
        if isIdeograph(scalar) { return Piece(spellings: [Array(text.utf8)]) }
        guard scalar.value < 0x80 || isLetter(scalar) else { return nil }
        let ways = [text, scalar.properties.uppercaseMapping, scalar.properties.titlecaseMapping]
        // A spelling counts only if it folds to the letter.
        let same = Set(ways.filter { TextFolding.folded($0) == text }).map { Array($0.utf8) }
        guard let first = same.first, same.allSatisfy({ $0.count == first.count }) else { return nil }
        return Piece(spellings: same)
    }

    /// Whether a character is a Han character. These never compose, and only compatibility ideographs fold to them.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool { (0x3400...0x9FFF).contains(scalar.value) }

    /// Whether a character is a Latin or Cyrillic letter in the blocks whose spellings are all known.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0xC0...0x233).contains(scalar.value) || (0x430...0x45F).contains(scalar.value)
    }

    /// Whether an unfolded text contains the needle.
    package func isIn(_ text: String) -> Bool {
        guard !folded.isEmpty else { return true }
        var text = text
        switch text.withUTF8({ unsafe verdict(UnsafeRawBufferPointer($0)) }) {
        case .absent: return false
        case .present: return true
        case .open:
            return unsafe TextFolding.fold(text).withUnsafeBytes { unsafe Self.find(folded, in: $0, from: 0) != nil }
        }
    }

    /// Searches the bytes of a text without folding it.
    private func verdict(_ text: UnsafeRawBufferPointer) -> Verdict {
        guard let anchor else { return .open }
        var isThere = false
        for spelling in anchor.piece.spellings {
            var from = 0
            while let found = unsafe Self.find(spelling, in: text, from: from) {
                isThere = true
                // An occurrence of the anchor proves nothing when the needle has unknown characters.
                guard !pieces.isEmpty else { return .open }
                if unsafe matches(text, at: found - anchor.offset) {
                    let end = found - anchor.offset + folded.count
                    // A following ASCII character cannot change the characters before it.
                    return unsafe end == text.count || text[end] < 0x80 || !hasHint(text) ? .present : .open
                }
                from = found + 1
            }
        }
        return unsafe !(isThere && pieces.isEmpty) && !hasHint(text) ? .absent : .open
    }

    private func matches(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
        guard start >= 0, start + folded.count <= text.count else { return false }
        if isASCII {
            for index in folded.indices {
                let byte = unsafe text[start + index]
                if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != folded[index] { return false }
            }
            return true
        }
        var place = start
        for piece in pieces {
            let bytes = unsafe text[place..<(place + piece.count)]
            guard piece.spellings.contains(where: { unsafe bytes.elementsEqual($0) }) else { return false }
            place += piece.count
        }
        return true
    }

    /// Whether the text has characters that compose or fold in other ways.
    private func hasHint(_ text: UnsafeRawBufferPointer) -> Bool {
        if unsafe Self.isASCII(text) { return unsafe hasSpace && text.contains { $0 <= 1 } }
        if hints.contains(where: { unsafe Self.find($0, in: text, from: 0) != nil }) { return true }
        return unsafe FoldedSigns.areIn(text, kinds: signs)
    }

    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= text.count {
            let word = unsafe text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            place += 8
        }
        return unsafe text[place...].allSatisfy { $0 < 0x80 }
    }

    private static func find(_ bytes: [UInt8], in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard !bytes.isEmpty else { return start }
        guard let base = text.baseAddress, text.count >= start + bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { needle in
            guard let first = needle.baseAddress,
                let found = unsafe selene_find(base + start, text.count - start, first, needle.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
