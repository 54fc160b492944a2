import Foundation
import TestSupport
import Testing

@testable import Documents

@Suite struct Charsets {
    static let german =
        "Fünf größere Bären fraßen süße Äpfel über der Brücke. Später gähnten sie müde und schliefen früh."

    static let cases: [(name: String, bytes: [UInt8], declared: String?, text: String, isGuessed: Bool)] = [
        ("UTF-8", Array(german.utf8), nil, german, false),
        ("a mark", [0xEF, 0xBB, 0xBF] + Array(german.utf8), "latin1", german, false),
        ("UTF-16 LE", [0xFF, 0xFE] + wide(german, .utf16LittleEndian), nil, german, false),
        ("UTF-16 BE", [0xFE, 0xFF] + wide(german, .utf16BigEndian), nil, german, false),
        ("UTF-32 LE", [0xFF, 0xFE, 0, 0] + wide(german, .utf32LittleEndian), nil, german, false),
        ("Latin 1 declared", wide(german, .isoLatin1), "ISO-8859-1", german, false),
        ("Latin 1", wide(german, .isoLatin1), nil, german, true),
        ("Windows quotes under the old name", [0x93, 0x48, 0x69, 0x94], "\"latin1\"", "“Hi”", false),
        ("wrong declaration", Array(german.utf8), "iso-8859-1", german, false),
        ("unknown declaration", Array(german.utf8), "klingon", german, false),
        ("refused declaration", Array("a+AGE-".utf8), "utf-7", "a+AGE-", false),
        ("Shift JIS", [0x83, 0x6E, 0x83, 0x8D, 0x81, 0x5B], "Shift_JIS", "ハロー", false),
        (
            "damaged UTF-8", Array(String(repeating: "ü", count: 50).utf8) + [0xFF], nil,
            String(repeating: "ü", count: 50) + "\u{FFFD}", true
        ),
        ("nothing", [], nil, "", false),
    ]

    static func wide(_ text: String, _ encoding: String.Encoding) -> [UInt8] {
        Array(text.data(using: encoding) ?? Data())
    }

    @Test(arguments: cases.indices) func decodes(_ index: Int) {
        let (name, bytes, declared, text, isGuessed) = Self.cases[index]
        let decoded = CharsetDecoder.decode(bytes, declared: declared, maxBytes: 1 << 20)
        #expect(String(decoding: decoded.utf8, as: UTF8.self) == text, "\(name)")
        #expect(decoded.isGuessed == isGuessed, "\(name)")
    }

    @Test func cyrillicIsDetected() {
        let text = String(
            repeating: "Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства. ",
            count: 5)
        for encoding in [String.Encoding.windowsCP1251] {
            let decoded = CharsetDecoder.decode(Self.wide(text, encoding), maxBytes: 1 << 20)
            #expect(String(decoding: decoded.utf8, as: UTF8.self) == text)
        }
    }

    /// Whether bytes are valid agrees with the standard library.
    @Test func validity() {
        var random = SeededGenerator(1)
        let pool: [UInt8] = [0x41, 0x80, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0x8F, 0x9F]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                pool[Int.random(in: 0..<pool.count, using: &random)]
            }
            #expect(UTF8Validity(bytes).isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    /// Composition agrees with Foundation's on short texts.
    @Test func composition() {
        var random = SeededGenerator(9)
        let pool = [
            "e", "\u{301}", "\u{323}", "é", "ᄒ", "\u{1161}", "\u{11AB}", "か", "\u{3099}", "潮", "Å", "\u{212B}",
            "\u{1D160}", " ", "\u{FB1D}", "\u{390}",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in pool.randomElement(using: &random) ?? "" }
                .joined()
            let composed = Composition.composed(Array(text.utf8))
            #expect(
                composed == Array(text.precomposedStringWithCanonicalMapping.utf8),
                "\(text.unicodeScalars.map(\.value))")
            #expect(Composition.composed(composed) == composed)
        }
    }

    @Test func anyBytesDecodeToValidText() {
        var random = SeededGenerator(2)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let declared =
                [nil, "utf-8", "utf-16", "shift_jis", "gbk", "iso-2022-jp", "euc-kr"].randomElement(using: &random)
                ?? nil
            let decoded = CharsetDecoder.decode(bytes, declared: declared, maxBytes: 1000)
            #expect(String(validating: decoded.utf8, as: UTF8.self) != nil)
        }
    }
}
