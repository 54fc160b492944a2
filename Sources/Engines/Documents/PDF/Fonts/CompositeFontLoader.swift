/// Reads a font with codes of several bytes.
struct CompositeFontLoader {
    let file: PDFFile
    let font: [String: PDFValue]

    func load(_ pool: TextPool) -> PDFFont {
        var composite = PDFFont.Composite()
        composite.toUnicode = file.toUnicode(font)
        composite.isUnicode = file.resolve(font["ToUnicode"]).name?.hasPrefix("Identity") == true
        composite.symbols = SymbolFont(name: file.resolve(font["BaseFont"]).name ?? "")
        readEncoding(&composite)
        let descendant = file.resolve(file.resolve(font["DescendantFonts"]).array?.first).dictionary ?? [:]
        composite.defaultWidth = Float(file.resolve(descendant["DW"]).number ?? 1000) / 1000
        composite.widths = widths(file.resolve(descendant["W"]).array ?? [])
        if let advance = file.resolve(descendant["DW2"]).array?.last?.number {
            composite.verticalAdvance = Float(advance) / 1000
        }
        if composite.predefined?.isIdentity ?? true { composite.scalars = { scalars(descendant) } }
        return PDFFont(composite, pool: pool)
    }

    private func readEncoding(_ composite: inout PDFFont.Composite) {
        let encoding = file.resolve(font["Encoding"])
        if let name = encoding.name {
            composite.predefined = PredefinedCMap(name)
        } else if case .stream(_, let dictionary) = encoding {
            let map = CMap(file.data(encoding).bytes)
            composite.encoding = map
            let base = file.resolve(dictionary["UseCMap"]).name ?? map.base
            composite.predefined = base.flatMap { PredefinedCMap($0) }
        }
    }

    /// `c [w …]` and `first last w`.
    private func widths(_ items: [PDFValue]) -> [(first: Int, last: Int, width: Float)] {
        var widths: [(first: Int, last: Int, width: Float)] = []
        var index = 0
        while index + 1 < items.count, widths.count < 65_536 {
            guard let first = file.resolve(items[index]).integer else { break }
            let second = file.resolve(items[index + 1])
            if let list = second.array {
                for (step, width) in list.prefix(65_536).enumerated() {
                    widths.append((first + step, first + step, Float(file.resolve(width).number ?? 1000) / 1000))
                }
                index += 2
            } else if let last = second.integer, index + 2 < items.count {
                widths.append((first, last, Float(file.resolve(items[index + 2]).number ?? 1000) / 1000))
                index += 3
            } else {
                break
            }
        }
        return widths
    }

    /// The scalars of CIDs by the maps of the embedded font program.
    private func scalars(_ descendant: [String: PDFValue]) -> [Int: UInt32] {
        let descriptor = file.resolve(descendant["FontDescriptor"]).dictionary ?? [:]
        guard let program = file.fontProgram(descriptor) else { return [:] }
        if program.key == "FontFile2" {
            guard let scalars = TrueTypeFont(program.bytes)?.scalars else { return [:] }
            return mapped(scalars, descendant)
        }
        let trueType = TrueTypeFont(program.bytes)
        if let scalars = trueType?.scalars, !scalars.isEmpty { return mapped(scalars, descendant) }
        guard let names = CFFFont(trueType?.cff ?? program.bytes)?.names else { return [:] }
        var scalars: [Int: UInt32] = [:]
        for (glyph, name) in names.enumerated() {
            if let text = GlyphNames.text(name), text.count == 1 { scalars[glyph] = text[0] }
        }
        return scalars
    }

    private func mapped(_ scalars: [Int: UInt32], _ descendant: [String: PDFValue]) -> [Int: UInt32] {
        guard case .stream = file.resolve(descendant["CIDToGIDMap"]) else { return scalars }
        let map = FontBytes(bytes: file.data(descendant["CIDToGIDMap"]).bytes)
        var result: [Int: UInt32] = [:]
        for cid in 0..<min(map.count / 2, 65_536) {
            if let glyph = map.u16(cid * 2), glyph > 0, let scalar = scalars[glyph] { result[cid] = scalar }
        }
        return result
    }
}
