/// A font as far as text needs it: what its codes mean and how wide they are.
final class PDFFont {
    /// A character code's meaning.
    struct Character {
        /// As of ``TextPool``; 0 when unknown, ``TextPool/nothing`` when nothing is shown.
        var text: UInt32
        /// The advance in units of the font size.
        var advance: Float
    }

    /// What is known of a composite font.
    struct Composite {
        var toUnicode: CMap?
        var encoding: CMap?
        var predefined: PredefinedCMap?
        /// Codes are UTF-16.
        var isUnicode = false
        var symbols = SymbolFont.none
        /// Reads the scalars of CIDs from the font program.
        var scalars: () -> [Int: UInt32] = { [:] }
        /// First and last CID, and the width in units of the font size.
        var widths: [(first: Int, last: Int, width: Float)] = []
        var defaultWidth: Float = 1
        var verticalAdvance: Float = -1

        var isVertical: Bool { encoding?.isVertical == true || predefined?.isVertical == true }
    }

    let isVertical: Bool
    /// What the font size is multiplied with to give the height of letters: 1 except for Type 3 fonts.
    let scale: Float
    private let pool: TextPool
    /// By code; empty for a composite font.
    private let characters: [Character]
    private let composite: Composite
    private var known: [UInt64: Character] = [:]
    private lazy var scalars = composite.scalars()

    static let replacement: UInt32 = 0xFFFD

    init(characters: [Character], scale: Float, pool: TextPool) {
        self.characters = characters
        self.scale = scale
        self.pool = pool
        composite = Composite()
        isVertical = false
    }

    init(_ composite: Composite, pool: TextPool) {
        self.composite = composite
        self.pool = pool
        characters = []
        scale = 1
        isVertical = composite.isVertical
    }

    /// Reads the next code of a shown string.
    ///
    /// - Returns: The character, and whether the code is the single byte 32, to which word spacing is added.
    func next(_ bytes: [UInt8], _ place: inout Int, end: Int) -> (character: Character, isSpace: Bool) {
        let first = bytes[place]
        if !characters.isEmpty {
            place += 1
            return (characters[Int(first)], first == 32)
        }
        let start = place
        let length = max(1, min(codeLength(bytes, place, end: end), end - place))
        place += length
        let code = CMapParser.number(Array(bytes[start..<place]))
        let key = UInt64(length) << 32 | UInt64(code)
        if let character = known[key] { return (character, length == 1 && code == 32) }
        let character = character(code, bytes[start..<place])
        if known.count < 65_536 { known[key] = character }
        return (character, length == 1 && code == 32)
    }

    private func codeLength(_ bytes: [UInt8], _ place: Int, end: Int) -> Int {
        if let spaces = composite.encoding?.codeSpaces, !spaces.isEmpty {
            var code: UInt32 = 0
            for length in 1...4 where place + length <= end {
                code = code << 8 | UInt32(bytes[place + length - 1])
                if spaces.contains(where: { $0.length == length && $0.low <= code && code <= $0.high }) {
                    return length
                }
            }
            return spaces.map(\.length).min() ?? 2
        }
        return composite.predefined?.length(bytes[place], place + 1 < end ? bytes[place + 1] : nil) ?? 2
    }

    private func character(_ code: UInt32, _ bytes: ArraySlice<UInt8>) -> Character {
        let cid = composite.encoding.map { Int($0.cid(code) ?? code) } ?? Int(code)
        var text = composite.toUnicode?.text(code) ?? composite.predefined?.text(bytes)
        if text == nil, composite.isUnicode { text = [code] }
        if text == nil { text = scalars[cid].map { [$0] } }
        let width: Float
        if isVertical {
            width = composite.verticalAdvance
        } else if let range = composite.widths.last(where: { $0.first <= cid && cid <= $0.last }) {
            width = range.width
        } else {
            width = bytes.count == 1 ? composite.defaultWidth / 2 : composite.defaultWidth
        }
        return Character(text: pool.number(known: text.flatMap { Self.cleaned($0, composite.symbols) }), advance: width)
    }

    /// Without control characters and private ones, as far as they have no known meaning; white space is a space. Nil
    /// when nothing but private characters is left out.
    static func cleaned(_ text: [UInt32], _ symbols: SymbolFont = .none) -> [UInt32]? {
        var isPrivate = false
        let cleaned: [UInt32] = text.compactMap { scalar in
            switch scalar {
            case 0x09...0x0D, 0x20, 0x85, 0xA0: return 0x20
            case 0..<0x20, 0x7F..<0xA0, 0xFFF9...0xFFFF: return nil
            case 0xE000...0xF8FF:
                let meaning = symbols.meaning(of: scalar)
                isPrivate = isPrivate || meaning == nil
                return meaning
            default: return Unicode.Scalar(scalar) == nil ? nil : scalar
            }
        }
        return cleaned.isEmpty && isPrivate ? nil : cleaned
    }
}
