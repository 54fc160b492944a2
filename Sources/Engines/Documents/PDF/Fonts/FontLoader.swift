/// Makes fonts from their dictionaries and keeps those used last.
struct FontLoader {
    private static let maxFonts = 256

    let file: PDFFile
    let pool = TextPool()
    private var fonts: [PDFReference: PDFFont] = [:]

    init(_ file: PDFFile) {
        self.file = file
    }

    mutating func font(_ value: PDFValue?) -> PDFFont? {
        guard case .reference(let reference) = value else { return file.resolve(value).dictionary.map(load) }
        if let font = fonts[reference] { return font }
        guard let font = file.resolve(value).dictionary.map(load) else { return nil }
        if fonts.count >= Self.maxFonts { fonts.removeAll() }
        fonts[reference] = font
        return font
    }

    private func load(_ font: [String: PDFValue]) -> PDFFont {
        file.resolve(font["Subtype"]).name == "Type0" || font["DescendantFonts"] != nil
            ? CompositeFontLoader(file: file, font: font).load(pool)
            : SimpleFontLoader(file: file, font: font).load(pool)
    }
}

extension PDFFile {
    func toUnicode(_ font: [String: PDFValue]) -> CMap? {
        guard case .stream = resolve(font["ToUnicode"]) else { return nil }
        let map = CMap(data(font["ToUnicode"]).bytes)
        return map.hasTexts ? map : nil
    }

    /// The bytes of the font program in a descriptor, and the key that says its format.
    func fontProgram(_ descriptor: [String: PDFValue]) -> (key: String, bytes: [UInt8])? {
        for key in ["FontFile", "FontFile2", "FontFile3"] where descriptor[key] != nil {
            let bytes = data(descriptor[key]).bytes
            if !bytes.isEmpty { return (key, bytes) }
        }
        return nil
    }
}
