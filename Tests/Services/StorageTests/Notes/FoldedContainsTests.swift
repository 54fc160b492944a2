import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Text

/// What is found without folding is what folding finds.
@Suite struct FoldedSearches {
    /// The plain way: fold, and look.
    private func oracle(_ text: String, _ sought: String) -> Bool {
        let (text, sought) = (TextFolding.fold(text), TextFolding.fold(sought))
        guard text.count >= sought.count else { return false }
        return (0...(text.count - sought.count)).contains { text[$0..<($0 + sought.count)].elementsEqual(sought) }
    }

    private func fast(_ text: String, _ sought: String) -> Bool {
        FoldedNeedle(folded: TextFolding.folded(sought)).isIn(text)
    }

    @Test(.slow) func `every character that folds to a letter is found under it`() {
        var wrong: [String] = []
        // What the character becomes by itself, and what it makes of a letter before it.
        for value in UInt32(0x80)...0x2FA1F {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned,
                !(0x3400...0x9FFF).contains(value), !(0xAC00...0xD7A3).contains(value),
                !(0x17000...0x2F7FF).contains(value), !(0xE000...0xF8FF).contains(value)
            else { continue }
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            for before in isMark ? ["a", "E", "о", "И", "ü"] : [""] {
                let text = "x \(before)\(Character(scalar)) x"
                for letter in Set(TextFolding.folded(text).unicodeScalars).subtracting(["x", " "]) {
                    let sought = String(letter)
                    if fast(text, sought) != oracle(text, sought) { wrong.append("U+\(String(value, radix: 16))") }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test(arguments: 0..<8) func `random texts of many scripts are searched as by folding`(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let pieces = [
            "a", "E", "é", "É", "e\u{301}", "\u{301}", "\u{308}", "ß", "ẞ", "SS", "å", "Å", "\u{212B}", "K", "\u{212A}",
            "潮", "汐", "\u{F9C9}", "\u{FA19}", "\u{3099}", "か", "が", "й", "И\u{306}", "Ж", "ж", "σ", "Σ", "ς", "İ", "ı",
            "ǅ", "ǆ", "Ǆ", " ", "%", "_", "\u{1100}", "\u{1161}", "가", "\u{11A8}", "🌊", "👩‍🔬", "\u{344}", "ü",
            "U\u{308}\u{304}",
            "ǖ", "\u{0}", "\u{1}", "s", "S", "i", "I", "ſ", "ŉ", "ﬁ", "ﬆ", "ｅ", "Ｅ", "n", "f", "t", "k",
        ]
        func text(_ count: Int) -> String { (0..<count).map { _ in pieces[next(pieces.count)] }.joined() }
        var found = 0
        for _ in 0..<3000 {
            let (long, sought) = (text(next(12)), text(1 + next(2)))
            let expected = oracle(long, sought)
            found += expected ? 1 : 0
            let isSame = fast(long, sought) == expected
            #expect(isSame, "\(Array(long.unicodeScalars)) \(Array(sought.unicodeScalars))")
        }
        #expect(found > 50)
    }

    @Test func `a page of a search equals the scan that folds every note`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let words = ["Größe", "GRÖSSE", "gro\u{308}ße", "潮汐", "tide", "Ж", "жизнь", "ÉTÉ", "été", "e\u{301}te\u{301}"]
        let notes = (0..<400).map { number in
            NoteDraft(
                title: words[number % words.count], content: "\(number) \(words[number * 7 % words.count]).",
                externalID: "\(number)")
        }
        _ = try await database.notes.insert(notes)
        for sought in [
            "größe", "GRÖSSE", "grösse", "ss", "tide", "TIDE", "1 ", "GRÖ", "潮", "Ж", "é", "ÉTÉ.", "été", "1 É", "ö",
        ] {
            let page = try await database.notes.page(NoteSelection(text: sought), limit: 500)
            let expected = notes.filter { oracle($0.title, sought) || oracle($0.content, sought) }
            #expect(page.items.map(\.content).sorted() == expected.map(\.content).sorted(), "\(sought)")
            #expect(!expected.isEmpty)
        }
    }

    @Test func `numbers and blobs that another program wrote are searched, too`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert((0..<3).map { NoteDraft(title: "t", content: "x", externalID: "\($0)") })
        let other = try DatabaseQueue(path: database.path)
        try await other.write { other in
            try other.execute(sql: "UPDATE raw_notes SET content = 4217 WHERE id = 1")
            try other.execute(sql: "UPDATE raw_notes SET content = CAST('Größe 4217' AS BLOB) WHERE id = 2")
        }
        for (sought, ids) in [("42", [1, 2]), ("GRÖSSE", [2]), ("x", [3])] {
            let page = try await database.notes.page(NoteSelection(text: sought), limit: 10)
            #expect(page.items.map(\.id).sorted() == ids.map(Int64.init), "\(sought)")
        }
    }
}
