import TestSupport
import Testing

@testable import Text

/// What a reader takes for the same text folds alike.
@Suite struct SameText {
    static let pairs: [(String, String)] = [
        ("Dinner at Murphy’s", "dinner at murphy's"), ("O‘Malley", "O'MALLEY"), ("l´été", "L’ÉTÉ"),
        ("rock ʼnʼ roll", "rock 'n' roll"),
        ("“quoted”", "\"quoted\""), ("„Haus“", "\"haus\""), ("«été»", "\"été\""), ("‹a›", "'a'"),
        ("2020–2021", "2020-2021"), ("wait — what", "wait - what"), ("−5", "-5"), ("well‑known", "well-known"),
        ("wait…", "wait..."), ("10\u{A0}km", "10 km"), ("10\u{202F}km", "10 km"), ("全角\u{3000}空白", "全角 空白"),
        ("ＦＵＬＬＷＩＤＴＨ １２３", "fullwidth 123"), ("ｶﾞｷﾞ", "ガギ"), ("＇ｑ＇", "'q'"),
        ("Donau\u{AD}dampf\u{AD}schiff", "donaudampfschiff"), ("zero\u{200B}width", "zerowidth"),
        ("می\u{200C}خواهم", "میخواهم"),
        ("\u{FEFF}start", "start"), ("İstanbul", "istanbul"), ("İ\u{301}sh", "ísh"), ("ISTANBUL", "istanbul"),
        ("☎\u{FE0F}", "☎"),
        ("e\u{AD}\u{301}", "é"), ("Straße", "STRASSE"),
    ]

    @Test(arguments: pairs) func `two ways of writing are one text`(_ one: String, _ other: String) {
        #expect(TextFolding.folded(one) == TextFolding.folded(other))
        #expect(FoldedNeedle(folded: TextFolding.folded(other)).isIn("before \(one) behind"))
        #expect(FoldedNeedle(folded: TextFolding.folded(one)).isIn("before \(other) behind"))
    }

    @Test func `folding is the same in all its forms, and folds nothing twice`() {
        var random = SeededGenerator(1)
        let alphabet =
            Self.pairs.flatMap { Array(($0.0 + $0.1).unicodeScalars) }
            + Array("Iİiı\u{307}\u{301} aZ'\"-.’“–…\u{AD}".unicodeScalars)
        for _ in 0..<4000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                scalars.append(alphabet.randomElement(using: &random) ?? "a")
            }
            let text = String(scalars)
            let folded = TextFolding.fold(text)
            #expect(folded == TextFolding.foldWhole(text), "\(text.debugDescription)")
            #expect(TextFolding.fold(String(decoding: folded, as: UTF8.self)) == folded, "\(text.debugDescription)")
            // The search of an unfolded text is that of the folded one.
            let part = Array(folded.prefix(Int.random(in: 0...folded.count, using: &random)))
            let needle = String(decoding: part, as: UTF8.self)
            guard Array(needle.utf8) == part else { continue }
            #expect(FoldedNeedle(folded: needle).isIn(text), "\(text.debugDescription) \(needle.debugDescription)")
            let other = TextFolding.folded(
                String(String.UnicodeScalarView([alphabet.randomElement(using: &random) ?? "a"])))
            let isThere =
                String(decoding: folded, as: UTF8.self).utf8.firstRange(of: Array(other.utf8)) != nil || other.isEmpty
            #expect(
                FoldedNeedle(folded: other).isIn(text) == isThere, "\(text.debugDescription) \(other.debugDescription)")
        }
    }

    @Test func `letters lose their marks, and only those`() {
        func markless(_ text: String) -> String? {
            MarklessText.of(TextFolding.fold(text)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(markless("Gütersloh") == "gutersloh")
        #expect(markless("Tiếng Việt đường") == "tieng viet duong")
        #expect(markless("ёлки") == "елки")
        #expect(markless("كِتَاب") == "كتاب")
        #expect(markless("smørrebrød Łódź") == "smorrebrod lodz")
        #expect(markless("plain") == nil && markless("がぎ") == nil && markless("हिन्दी") == nil && markless("น้ำ") == nil)
    }
}
