internal import Text

/// The text of a block before it is part of a document, and what begins inside it.
struct BlockText {
    /// Something at a place of the text.
    struct Mark {
        enum Kind {
            /// A page begins here; the label is its printed number.
            case page(label: String?)
            /// A name that links use.
            case anchor(String)
        }

        /// In bytes of the text.
        var offset: Int
        var kind: Kind
    }

    /// Valid UTF-8.
    var utf8: [UInt8]
    /// In order of their place.
    var marks: [Mark]

    init(_ utf8: [UInt8] = [], marks: [Mark] = []) {
        self.utf8 = utf8
        self.marks = marks
    }

    init(_ text: String) { self.init(Array(text.utf8)) }

    /// The canonical form without white space at its ends, with the marks at their places.
    func canonical() -> BlockText {
        if marks.isEmpty {
            return BlockText(Self.trimmed(CanonicalText.canonical(utf8)).text)
        }
        // Each part between two marks is composed alone, then the borders are known.
        var (result, places, start): ([UInt8], [Int], Int) = ([], [], 0)
        for mark in marks {
            let end = min(max(start, mark.offset), utf8.count)
            result += CanonicalText.canonical(Array(utf8[start..<end]))
            places.append(result.count)
            start = end
        }
        result += CanonicalText.canonical(Array(utf8[start...]))
        let whole = Composition.composed(result)
        if whole != result {
            // A character was cut in two; the marks around it move by its difference at most.
            places = places.map { UTF8Border.before($0, in: whole) }
        }
        let (text, cut) = Self.trimmed(whole)
        return BlockText(
            text, marks: zip(places, marks).map { Mark(offset: min(max(0, $0 - cut), text.count), kind: $1.kind) })
    }

    /// A text without white space at its ends, and the bytes that were cut off at its start.
    private static func trimmed(_ utf8: [UInt8]) -> (text: [UInt8], cut: Int) {
        guard let first = utf8.firstIndex(where: { !isSpace($0) }),
            let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return ([], utf8.count) }
        return (Array(utf8[first...last]), first)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
