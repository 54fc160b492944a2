/// Reads a font with codes of one byte.
struct SimpleFontLoader {
    let file: PDFFile
    let font: [String: PDFValue]

    private enum Meaning {
        case unknown
        case scalar(UInt32)
        case name(String)
    }

    func load(_ pool: TextPool) -> PDFFont {
        let texts = texts()
        let isType3 = file.resolve(font["Subtype"]).name == "Type3"
        let matrix =
            isType3 ? file.resolve(font["FontMatrix"]).array.flatMap { Matrix(.array($0.map(file.resolve))) } : nil
        let unit = Float(matrix.map { abs($0.a) > 0 ? abs($0.a) : abs($0.b) } ?? 0.001)
        let widths = widths(unit: unit)
        let names = isType3 ? nil : StandardWidths.widths(of: baseFont)
        let symbols = SymbolFont(name: baseFont)
        let missing = Float(file.resolve(descriptor["MissingWidth"]).number ?? 0) * unit
        let characters = (0..<256).map { code in
            let width =
                widths[code] ?? (widths.isEmpty ? nil : missing)
                ?? names.map { ($0.byScalar[texts[code]?.first ?? 0] ?? $0.other) / 1000 } ?? (isType3 ? 0 : 0.5)
            let text = texts[code].flatMap { PDFFont.cleaned($0, symbols) }
            return PDFFont.Character(text: pool.number(known: text), advance: width)
        }
        return PDFFont(characters: characters, scale: isType3 ? scale(matrix, unit, widths) : 1, pool: pool)
    }

    private var baseFont: String { file.resolve(font["BaseFont"]).name ?? "" }
    private var descriptor: [String: PDFValue] { file.resolve(font["FontDescriptor"]).dictionary ?? [:] }

    private func widths(unit: Float) -> [Int: Float] {
        let first = file.resolve(font["FirstChar"]).integer ?? 0
        var widths: [Int: Float] = [:]
        for (index, width) in (file.resolve(font["Widths"]).array ?? []).prefix(256).enumerated() {
            if let number = file.resolve(width).number, abs(number) < 1e6 {
                widths[first &+ index] = Float(number) * unit
            }
        }
        return widths
    }

    /// The height of a Type 3 font's letters, in units of its size.
    private func scale(_ matrix: Matrix?, _ unit: Float, _ widths: [Int: Float]) -> Float {
        let vertical = Float(matrix.map { abs($0.d) > 0 ? abs($0.d) : abs($0.c) } ?? 0.001)
        let used = widths.values.filter { $0 > 0 }
        let width = used.isEmpty ? 0 : used.reduce(0, +) / Float(used.count)
        let box = file.resolve(font["FontBBox"]).array.flatMap { Rectangle(.array($0.map(file.resolve))) }
        let height = Float(box?.height ?? 0) * vertical
        // Boxes that are much smaller than the letters are wide are placeholders.
        let scale = height > width / 2 ? height : width > 0 ? width * 2 : 1
        return min(max(scale, 1e-3), 1e3)
    }

    /// The text of each code: the map to Unicode, else the encoding.
    private func texts() -> [[UInt32]?] {
        let toUnicode = file.toUnicode(font)
        let isIdentity = file.resolve(font["ToUnicode"]).name?.hasPrefix("Identity") == true
        let meanings = meanings()
        let names = meanings.compactMap { if case .name(let name) = $0 { name } else { nil } }
        let isHexadecimal = names.contains { GlyphNames.text($0) == nil && Self.isHexadecimal($0) }
        return meanings.enumerated().map { code, meaning in
            if let text = toUnicode?.text(UInt32(code)) { return text }
            if isIdentity { return [UInt32(code)] }
            switch meaning {
            case .unknown: return []
            case .scalar(let scalar): return [scalar]
            case .name(let name):
                if let text = GlyphNames.text(name) { return text }
                if name == ".notdef" { return [] }
                guard let number = GlyphNames.code(name, isHexadecimal: isHexadecimal),
                    number >= 32, number < 256
                else { return nil }
                return [Encodings.winAnsi[number]]
            }
        }
    }

    /// Two digits behind a letter, one of them above 9, as in `G4A`.
    private static func isHexadecimal(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst()
        return digits.count == 2 && digits.allSatisfy { PDFLexer.hexValue($0) != nil } && digits.contains { $0 > 0x39 }
    }

    private func meanings() -> [Meaning] {
        let encoding = file.resolve(font["Encoding"])
        let base = encoding.name ?? file.resolve(encoding.dictionary?["BaseEncoding"]).name
        var meanings = named(base) ?? builtIn()
        var code = 0
        for item in (file.resolve(encoding.dictionary?["Differences"]).array ?? []).prefix(1024) {
            let item = file.resolve(item)
            if let number = item.integer {
                code = number
            } else if let name = item.name {
                if meanings.indices.contains(code) { meanings[code] = .name(name) }
                code += 1
            }
        }
        return meanings
    }

    private func named(_ encoding: String?) -> [Meaning]? {
        switch encoding {
        case "WinAnsiEncoding": Self.meanings(Encodings.winAnsi)
        case "MacRomanEncoding": Self.meanings(Encodings.macRoman)
        case "StandardEncoding": Self.meanings(Encodings.standard)
        default: nil
        }
    }

    private static func meanings(_ scalars: [UInt32]) -> [Meaning] {
        (0..<256).map { code in
            let scalar = code < scalars.count ? scalars[code] : 0
            return scalar == 0 ? .unknown : .scalar(scalar)
        }
    }

    /// The encoding of the font program, or else of a font of its name.
    private func builtIn() -> [Meaning] {
        let name = baseFont.lowercased()
        if name.contains("symbol"), descriptor["FontFile2"] == nil { return Self.meanings(Encodings.symbol) }
        if name.contains("dingbats") { return Self.meanings(Encodings.zapfDingbats) }
        let isTrueType = file.resolve(font["Subtype"]).name == "TrueType"
        let fallback = Self.meanings(isTrueType ? Encodings.winAnsi : Encodings.standard)
        guard font["ToUnicode"] == nil, let program = file.fontProgram(descriptor) else { return fallback }
        switch program.key {
        case "FontFile":
            guard let names = Type1Encoding.names(program.bytes) else { return fallback }
            return (0..<256).map { code in names[code].map { .name($0) } ?? .unknown }
        case "FontFile2":
            return trueType(TrueTypeFont(program.bytes), fallback)
        default:
            let trueType = TrueTypeFont(program.bytes)
            guard let cff = CFFFont(trueType?.cff ?? program.bytes), let names = cff.names, !cff.hasStandardEncoding
            else {
                return fallback
            }
            return (0..<256).map { code in
                guard let glyph = cff.encoding[code], glyph < names.count else { return .unknown }
                return .name(names[glyph])
            }
        }
    }

    /// Codes to glyphs by the map for symbols, glyphs to scalars by the map for Unicode.
    private func trueType(_ font: TrueTypeFont?, _ fallback: [Meaning]) -> [Meaning] {
        guard let font, !font.scalars.isEmpty, !font.glyphs.isEmpty else { return fallback }
        return (0..<256).map { code in
            guard let glyph = font.glyphs[code], let scalar = font.scalars[glyph] else { return fallback[code] }
            return .scalar(scalar)
        }
    }
}
