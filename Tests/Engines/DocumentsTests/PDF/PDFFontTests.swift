import Testing

@testable import Documents

struct PDFFontTests {
    @Test(
        "Names of glyphs",
        arguments: [
            ("A", [0x41]), ("eacute", [0xE9]), ("uni20AC", [0x20AC]), ("uni00410042", [0x41, 0x42]),
            ("u1F600", [0x1F600]),
            ("f_f_i", [0x66, 0x66, 0x69]), ("fi", [0xFB01]), ("A.small", [0x41]), ("uniD800", nil), ("g12", nil),
            (".notdef", nil), ("", nil),
        ] as [(String, [UInt32]?)])
    func glyphNames(name: String, expected: [UInt32]?) {
        #expect(GlyphNames.text(name) == expected)
    }

    @Test("Codes of the predefined encodings")
    func encodings() {
        for table in [
            Encodings.standard, Encodings.winAnsi, Encodings.macRoman, Encodings.pdfDoc, Encodings.symbol,
            Encodings.zapfDingbats,
        ] {
            #expect(table.count == 256)
        }
        #expect(Encodings.standard[0x27] == 0x2019 && Encodings.winAnsi[0x27] == 0x27)
        #expect(Encodings.winAnsi[0x80] == 0x20AC && Encodings.winAnsi[0x93] == 0x201C)
        #expect(Encodings.macRoman[0x8E] == 0xE9 && Encodings.standard[0xAE] == 0xFB01)
        #expect(Encodings.symbol[0x61] == 0x3B1 && Encodings.pdfDoc[0x84] == 0x2014)
        #expect(StandardWidths.widths(of: "Helvetica")?.byScalar[0x41] == 667)
        #expect(StandardWidths.widths(of: "ABCDEF+Times-BoldItalic")?.byScalar[0x41] == 667)
        #expect(CFFFont.standardStrings.count == 391)
    }

    @Test("A map to Unicode: characters, ranges, lists, surrogates")
    func toUnicode() {
        let map = CMap(
            Array(
                """
                1 begincodespacerange <0000> <FFFF> endcodespacerange
                2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar
                3 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0066> <00660069>] <0030> <0010> <0041> endbfrange
                """.utf8))
        #expect(map.text(1) == [0x41] && map.text(2) == [0x1F600])
        #expect(map.text(0x11) == [0x62] && map.text(0x13) == nil)
        #expect(map.text(0x21) == [0x66, 0x69] && map.text(0x30) == nil)
        #expect(map.codeSpaces.count == 1)
    }

    @Test("A range of four billion codes costs nothing")
    func hugeRange() {
        let map = CMap(Array("1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange".utf8))
        #expect(map.text(2) == [0x43])
        #expect(map.text(0xFFFF_FFFF) == nil)
    }

    @Test(
        "Predefined maps",
        arguments: [
            ("UniJIS-UCS2-H", [0x65, 0xE5], [0x65E5]), ("90ms-RKSJ-H", [0x93, 0xFA], [0x65E5]),
            ("GBK-EUC-H", [0xC8, 0xD5], [0x65E5]), ("EUC-H", [0xC6, 0xFC], [0x65E5]), ("H", [0x46, 0x7C], [0x65E5]),
            ("UniGB-UTF8-H", [0xE6, 0x97, 0xA5], [0x65E5]), ("Identity-H", [0, 1], nil),
        ] as [(String, [UInt8], [UInt32]?)])
    func predefined(name: String, code: [UInt8], expected: [UInt32]?) {
        let map = PredefinedCMap(name)
        #expect(map?.length(code[0], code.count > 1 ? code[1] : nil) == code.count)
        #expect(map?.text(code[...]) == expected)
    }

    @Test("The encoding of a Type 1 program")
    func type1() {
        let program =
            "%!PS\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\ndup 65 /alpha put\ndup 66 /beta put\nreadonly def"
        #expect(Type1Encoding.names(Array(program.utf8)) == [65: "alpha", 66: "beta"])
        #expect(Type1Encoding.names(Array("/Encoding StandardEncoding def".utf8)) == nil)
    }

    @Test("Font programs of random bytes are read without a trap")
    func randomPrograms() {
        var random = SeededBytes(3)
        for _ in 0..<2_000 {
            let bytes = random.bytes(Int.random(in: 0...120, using: &random.generator))
            _ = TrueTypeFont(bytes)
            _ = CFFFont(bytes)
            _ = CMap(bytes)
            _ = Type1Encoding.names(bytes)
        }
    }
}
