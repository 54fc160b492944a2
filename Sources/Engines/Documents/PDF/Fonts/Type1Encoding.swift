/// The encoding in the readable part of a Type 1 font program.
enum Type1Encoding {
    /// The names by code; nil when the program has the standard encoding or none.
    static func names(_ program: [UInt8]) -> [Int: String]? {
        var lexer = PDFLexer(program)
        guard let start = find("/Encoding", in: program) else { return nil }
        lexer.place = start
        var names: [Int: String] = [:]
        var code: Int?
        // `dup 65 /A put` for each code, up to `def`.
        for _ in 0..<4096 {
            switch lexer.next() {
            case .end: return names.isEmpty ? nil : names
            case .number(let number): code = number >= 0 && number < 256 ? Int(number) : nil
            case .name(let range):
                let name = PDFObjectParser.name(lexer.scratch[range])
                if let code, name != ".notdef" { names[code] = name }
                code = nil
            case .keyword(let range):
                let word = program[range]
                if word.elementsEqual("StandardEncoding".utf8) || word.elementsEqual("eexec".utf8) { return nil }
                let isEnd = word.elementsEqual("def".utf8) || word.elementsEqual("readonly".utf8)
                if isEnd, !names.isEmpty { return names }
            default: continue
            }
        }
        return names.isEmpty ? nil : names
    }

    private static func find(_ word: String, in bytes: [UInt8]) -> Int? {
        let word = Array(word.utf8)
        let end = min(bytes.count, 1 << 16) - word.count
        guard end > 0 else { return nil }
        return (0..<end).first { bytes[$0] == word[0] && bytes[$0..<$0 + word.count].elementsEqual(word) }
            .map { $0 + word.count }
    }
}
