import Testing

@testable import Text

/// The beginning of a text that fits a size.
@Suite struct PassageBeginnings {
    @Test(arguments: [
        ("Short.", 20, "Short."), ("One two. Three four. Five six.", 24, "One two. Three four."),
        ("One two. Three four five six seven", 24, "One two. Three four five"),
        ("abcdefghijklmnopqrstuvwxyz", 10, "abcdefghij"), ("Dr. Who saw it. Then he left.", 20, "Dr. Who saw it."),
        ("潮汐潮汐潮汐", 7, "潮汐"), ("e\u{301}e\u{301}e\u{301}e\u{301}", 4, "e\u{301}"), ("x", 0, ""), ("", 5, ""),
        ("   \n  leading", 6, ""),
    ])
    func `whole sentences come before words, and words before characters`(text: String, most: Int, expected: String) {
        #expect(PassageCutter.beginning(of: text, most: most) == expected)
    }

    @Test func `every size is kept, and every cut is a beginning`() {
        let text =
            "The tide 潮 is high. A pilot e\u{301} waits!  Nobody\n\ncomes 👩‍👩‍👧 home. "
            + String(repeating: "word ", count: 40)
        for most in 0...text.utf8.count + 2 {
            let cut = PassageCutter.beginning(of: text, most: most)
            #expect(cut.utf8.count <= most && text.hasPrefix(cut))
            let titled = PassageCutter.beginning(of: text, under: "A title that is long", most: most)
            #expect(titled.utf8.count <= max(most, 1))
        }
        #expect(PassageCutter.beginning(of: "Text.", under: "", most: 50) == "Text.")
        #expect(PassageCutter.beginning(of: "Text.", under: "Title", most: 50) == "Title\nText.")
    }
}
