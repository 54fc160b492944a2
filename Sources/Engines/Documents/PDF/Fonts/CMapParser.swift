/// Reads the entries of a character map, which is a program in PostScript of a fixed form.
struct CMapParser {
    enum Part {
        case codeSpace(low: [UInt8], high: [UInt8])
        case text(code: UInt32, [UInt32])
        case textRun(low: UInt32, high: UInt32, [UInt32])
        case cidRun(low: UInt32, high: UInt32, UInt32)
        case vertical
        case base(String)
    }

    private enum Section { case none, codeSpace, textOfCode, textOfRange, cidOfCode, cidOfRange }

    private var parser: PDFObjectParser
    private var section = Section.none
    private var lastName: String?
    private var sawWMode = false
    /// The rest of a list of texts, last first.
    private var listed: [Part] = []

    init(_ bytes: [UInt8]) {
        parser = PDFObjectParser(bytes)
    }

    /// Returns the next entry; nil at the end.
    mutating func next() -> Part? {
        if let part = listed.popLast() { return part }
        while true {
            parser.lexer.scratch.removeAll(keepingCapacity: true)
            let token = parser.lexer.next()
            switch token {
            case .end: return nil
            case .keyword(let range):
                if let part = keyword(String(decoding: parser.lexer.bytes[range], as: UTF8.self)) { return part }
            default:
                if let part = entry(token) { return part }
            }
        }
    }

    private mutating func keyword(_ word: String) -> Part? {
        switch word {
        case "begincodespacerange": section = .codeSpace
        case "beginbfchar": section = .textOfCode
        case "beginbfrange": section = .textOfRange
        case "begincidchar": section = .cidOfCode
        case "begincidrange": section = .cidOfRange
        case "endcodespacerange", "endbfchar", "endbfrange", "endcidchar", "endcidrange": section = .none
        case "usecmap": return lastName.map { .base($0) }
        default: break
        }
        return nil
    }

    private mutating func entry(_ token: PDFLexer.Token) -> Part? {
        let first = parser.value(token, depth: 0)
        guard section != .none else {
            if sawWMode, first == .number(1) { return .vertical }
            sawWMode = first == .name("WMode")
            lastName = first?.name ?? lastName
            return nil
        }
        guard let low = first?.string, low.count <= 4 else { return nil }
        let code = Self.number(low)
        guard let second = parser.value() else { return nil }
        switch section {
        case .none: return nil
        case .codeSpace: return second.string.map { .codeSpace(low: low, high: $0) }
        case .textOfCode: return Self.text(second).map { .text(code: code, $0) }
        case .cidOfCode: return second.integer.flatMap(UInt32.init(exactly:)).map { .cidRun(low: code, high: code, $0) }
        case .textOfRange, .cidOfRange: break
        }
        guard let high = second.string.map(Self.number), let third = parser.value() else { return nil }
        if section == .cidOfRange {
            return third.integer.flatMap(UInt32.init(exactly:)).map { .cidRun(low: code, high: high, $0) }
        }
        if let texts = third.array { return list(texts, from: code) }
        return Self.text(third).map { .textRun(low: code, high: high, $0) }
    }

    /// The first text of a list; ``next()`` returns the others.
    private mutating func list(_ texts: [PDFValue], from code: UInt32) -> Part? {
        listed = texts.prefix(65_536).enumerated().compactMap { index, value in
            Self.text(value).map { .text(code: code &+ UInt32(index), $0) }
        }.reversed()
        return listed.popLast()
    }

    /// UTF-16 in a string, or the name of a glyph. Nil for no text, and for U+0000.
    private static func text(_ value: PDFValue) -> [UInt32]? {
        if let name = value.name { return GlyphNames.text(name) }
        guard let bytes = value.string, !bytes.isEmpty, bytes.count <= 256 else { return nil }
        if bytes.count == 1 { return bytes[0] == 0 ? nil : [UInt32(bytes[0])] }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let text = String(decoding: units, as: UTF16.self).unicodeScalars.map(\.value).filter { $0 != 0 }
        return text.isEmpty ? nil : text
    }

    /// A code of up to four bytes.
    static func number(_ bytes: [UInt8]) -> UInt32 {
        bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
