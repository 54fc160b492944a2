import Testing

@testable import Chat

/// The pages that a question names.
@Suite struct PageReferences {
    @Test(
        arguments: [
            ("what is on page 73?", "73", nil), ("What happens on p. 5", "5", nil), ("see p.12–14, please", "12", "14"),
            ("summarise pages 100-120", "100", "120"), ("pages 3 to 9", "3", "9"), ("PAGES 3 through 9", "3", "9"),
            ("Was steht auf Seite xii?", "xii", nil), ("Seiten xii bis xv", "xii", "xv"), ("S. 40 und 41", "40", "41"),
            ("fass S. 7 zusammen", "7", nil), ("compare page 4, then page 9", "4", nil), ("pp. 10 and 11", "10", "11"),
            ("page 12 to the end", "12", nil),
        ] as [(String, String, String?)])
    func `pages are read from the question`(question: String, first: String, last: String?) {
        let found = PageReference(in: question)
        #expect(found?.first == first && found?.last == last)
    }

    @Test(arguments: [
        "", "page", "pages of history", "who turned the page?", "p", "p.", "S is a letter", "the front page news",
        "page 123456", "room 42", "Why do 5 people die?", "s mix", "pages and pages 🂡",
    ])
    func `other questions name none`(question: String) {
        #expect(PageReference(in: question) == nil)
    }

    @Test func `a long question is read to its first part only`() {
        let question = String(repeating: "a ", count: 1_000_000) + "page 7"
        #expect(PageReference(in: question) == nil)
    }
}
