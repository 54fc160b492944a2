/// Reads whole objects from PDF syntax.
struct PDFObjectParser {
    /// Deeper parts are read as null.
    static let maxDepth = 64

    var lexer: PDFLexer

    init(_ bytes: [UInt8], at place: Int = 0) {
        lexer = PDFLexer(bytes, at: place)
    }

    /// Returns the next object; nil at the end, or at a closing bracket or keyword that begins no object.
    mutating func value() -> PDFValue? {
        lexer.scratch.removeAll(keepingCapacity: true)
        return value(lexer.next(), depth: 0)
    }

    /// Reads the object that a token begins.
    mutating func value(_ token: PDFLexer.Token, depth: Int) -> PDFValue? {
        switch token {
        case .end, .arrayClose, .dictionaryClose: nil
        case .number(let number): reference(number) ?? .number(number)
        case .name(let range): .name(Self.name(lexer.scratch[range]))
        case .string(let range): .string(Array(lexer.scratch[range]))
        case .arrayOpen: depth < Self.maxDepth ? array(depth) : .null
        case .dictionaryOpen: depth < Self.maxDepth ? dictionary(depth) : .null
        case .keyword(let range): keyword(lexer.bytes[range])
        }
    }

    /// Each byte of a name as a scalar below 256.
    static func name(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var name = ""
        for byte in bytes { name.unicodeScalars.append(Unicode.Scalar(byte)) }
        return name
    }

    private func keyword(_ bytes: ArraySlice<UInt8>) -> PDFValue? {
        if bytes.elementsEqual("true".utf8) { return .bool(true) }
        if bytes.elementsEqual("false".utf8) { return .bool(false) }
        return bytes.elementsEqual("null".utf8) ? .null : nil
    }

    /// `12 0 R`, behind its first number.
    private mutating func reference(_ first: Double) -> PDFValue? {
        guard first > 0, first < 2_147_483_648, first == first.rounded() else { return nil }
        let place = lexer.place
        let scratch = lexer.scratch.count
        if case .number(let second) = lexer.next(), second >= 0, second < 65_536, second == second.rounded(),
            case .keyword(let range) = lexer.next(), lexer.bytes[range].elementsEqual([UInt8(ascii: "R")])
        {
            return .reference(PDFReference(id: Int32(first), generation: Int32(second)))
        }
        lexer.place = place
        lexer.scratch.removeLast(lexer.scratch.count - scratch)
        return nil
    }

    private mutating func array(_ depth: Int) -> PDFValue {
        var items: [PDFValue] = []
        while true {
            let token = lexer.next()
            if token == .end || token == .arrayClose { return .array(items) }
            if let item = value(token, depth: depth + 1) { items.append(item) }
        }
    }

    private mutating func dictionary(_ depth: Int) -> PDFValue {
        var items: [String: PDFValue] = [:]
        while true {
            switch lexer.next() {
            case .end, .dictionaryClose: return .dictionary(items)
            case .name(let range):
                let key = Self.name(lexer.scratch[range])
                let token = lexer.next()
                if token == .end || token == .dictionaryClose { return .dictionary(items) }
                if let value = value(token, depth: depth + 1) { items[key] = value }
            default: continue
            }
        }
    }
}
