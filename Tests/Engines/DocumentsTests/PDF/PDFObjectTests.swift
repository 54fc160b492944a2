import Testing

@testable import Documents

struct PDFObjectTests {
    @Test(
        "Objects from their syntax",
        arguments: [
            ("12", .number(12)), ("-.5", .number(-0.5)), ("+3.25", .number(3.25)), ("--7", .number(-7)),
            ("1-2", .number(1)), ("1.2.3", .number(1.2)), ("99999999999999999999", .number(1e12)),
            ("/Name#20x", .name("Name x")), ("/", .name("")), ("true", .bool(true)), ("null", .null),
            ("(a(b)c\\)\\n\\101\\\n)", .string(Array("a(b)c)\nA".utf8))), ("(open", .string(Array("open".utf8))),
            ("<48 65 6C6>", .string(Array("Hel`".utf8))), ("12 0 R", .reference(PDFReference(id: 12, generation: 0))),
            ("[1 2 0 R /A]", .array([.number(1), .reference(PDFReference(id: 2, generation: 0)), .name("A")])),
            ("[1 2 3]", .array([.number(1), .number(2), .number(3)])),
            ("<< /A 1 /B [ (x) ] >>", .dictionary(["A": .number(1), "B": .array([.string([0x78])])])),
            ("<< /A /B", .dictionary(["A": .name("B")])), ("% comment\n 5", .number(5)),
        ] as [(String, PDFValue)])
    func objects(syntax: String, expected: PDFValue) {
        var parser = PDFObjectParser(Array(syntax.utf8))
        #expect(parser.value() == expected)
    }

    @Test("Deep nesting is read without recursion into its depth")
    func nesting() {
        var parser = PDFObjectParser([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        #expect(parser.value()?.array?.count == 1)
    }

    @Test("ASCII filters, run length and LZW")
    func filters() {
        #expect(ASCIIFilters.decodeHex(Array("48 65 6c6C 6F 7>xx".utf8)) == Array("Hellop".utf8))
        #expect(ASCIIFilters.decode85(Array("87cURD]i,\"Ebo80~>".utf8)) == Array("Hello World!".utf8))
        #expect(ASCIIFilters.decode85(Array("z!!~>".utf8)) == [0, 0, 0, 0, 0])
        let encoded: [UInt8] = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01]
        #expect(LZW.decode(encoded, earlyChange: true, limit: 100).bytes == [45, 45, 45, 45, 45, 65, 45, 45, 45, 66])
        var decoder = StreamDecoder(limit: 5)
        let result = decoder.decode([2, 97, 98, 99, 254, 100, 128], ["Filter": .name("RL")]) { $0 ?? .null }
        #expect(result.bytes == Array("abcdd".utf8))
        #expect(decoder.isCut)
    }

    @Test("The predictors of PNG and TIFF")
    func predictors() {
        let png = Predictor(["Predictor": .number(12), "Columns": .number(3)])
        #expect(png?.decode([2, 1, 2, 3, 1, 1, 1, 1]) == [1, 2, 3, 1, 2, 3])
        let tiff = Predictor(["Predictor": .number(2), "Columns": .number(3)])
        #expect(tiff?.decode([1, 1, 1, 5, 1, 1]) == [1, 2, 3, 5, 6, 7])
        #expect(Predictor(["Predictor": .number(12), "Columns": .number(1e9)]) == nil)
        #expect(png?.decode([4, 1]) == [1])
    }

    @Test("Damaged deflate data gives what is before the damage, and a limit cuts")
    func inflate() {
        // "hello hello hello hello" by zlib.
        let packed: [UInt8] = [
            0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57, 0xC8, 0x40, 0x27, 0x01, 0x68, 0x03, 0x08, 0xB1,
        ]
        #expect(Inflate.decode(packed, limit: 1_000).bytes == Array("hello hello hello hello".utf8))
        #expect(Inflate.decode(Array(packed.dropLast(5)), limit: 1_000).bytes.starts(with: Array("hello".utf8)))
        let cut = Inflate.decode(packed, limit: 5)
        #expect(cut.bytes == Array("hello".utf8) && cut.isCut)
        #expect(Inflate.decode([1, 2, 3, 4, 5], limit: 1_000).bytes.count < 10)
    }
}
