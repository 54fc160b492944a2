import Testing

@testable import Text

/// What a list shows of a text.
@Suite struct SnippetTests {
    private static let filler = Array(repeating: "Nothing of interest happened here today.", count: 40).joined(
        separator: "\n")

    private func matches(_ text: String, _ terms: [String]) -> [Snippet.Match] {
        terms.flatMap { term in
            text.ranges(of: term).map { range in
                let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
                return Snippet.Match(range: start..<start + term.utf8.count, term: term)
            }
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    @Test func `the place that matched is shown, not the beginning`() {
        let text = "\(Self.filler)\nThe electrician wants 76 mm² cable on Tuesday.\n\(Self.filler)"
        let line = Snippet.line(of: text, title: "Log", matches: matches(text, ["electrician"]))
        #expect(line.contains("The electrician wants 76 mm² cable on Tuesday."))
        #expect(line.hasPrefix("…") && line.hasSuffix("…") && line.count <= Snippet.characters + 2)
        #expect(!line.contains("\n"))
    }

    @Test(arguments: [
        "# Spring tide\n\nIt reached 4.1 m.", "Spring tide\nIt reached 4.1 m.",
        "\n\n## SPRING TIDE  \nIt reached **4.1 m**.",
        "Spring tide\r\n\r\nIt reached 4.1 m.",
    ])
    func `a first line that repeats the title is left out`(text: String) {
        #expect(Snippet.line(of: text, title: "Spring tide") == "It reached 4.1 m.")
        #expect(Snippet.line(of: text, title: "Spring tide", matches: matches(text, ["Spring"])) == "It reached 4.1 m.")
    }

    @Test func `a note that is only its title shows it, and another first line stays`() {
        #expect(Snippet.line(of: "# Spring tide", title: "Spring tide") == "Spring tide")
        #expect(
            Snippet.line(of: "Spring tide at the pier\nHigh.", title: "Spring tide") == "Spring tide at the pier High.")
        #expect(
            Snippet.line(of: "", title: "") == "" && Snippet.line(of: "#hashtag first", title: "x") == "#hashtag first")
    }

    @Test func `of several places the one with the most and longest words counts`() {
        let text = "the tide\n\(Self.filler)\nthe tide reached the lighthouse\n\(Self.filler)\nthe tide"
        let line = Snippet.line(of: text, title: "", matches: matches(text, ["the", "tide", "lighthouse"]))
        #expect(line.contains("the tide reached the lighthouse"))
    }

    @Test func `the passage decides when the words are elsewhere, too, or nowhere`() {
        let text = "a boat\n\(Self.filler)\nthe second boat is red\n\(Self.filler)"
        let start = Self.filler.utf8.count + 8
        let found = Snippet.line(of: text, title: "", matches: matches(text, ["boat"]), passage: start..<start + 60)
        #expect(found.contains("the second boat is red"))
        let near = Snippet.line(of: text, title: "", passage: start..<start + 60)
        #expect(near.contains("the second boat is red") && near.hasPrefix("…"))
    }

    @Test func `places that are no borders of characters do no harm`() {
        let text = "👩‍👩‍👧 \(String(repeating: "日本語の文章です。", count: 60)) é"
        for place in [0, 1, 3, 17, text.utf8.count - 1, text.utf8.count, text.utf8.count + 50] {
            let line = Snippet.line(of: text, title: "t", matches: [.init(range: place..<place + 2, term: "x")])
            #expect(line.count <= Snippet.characters + 2 && !line.contains("\u{FFFD}"))
            #expect(Snippet.part(of: text, at: place, characters: 50).count <= 50)
        }
    }

    @Test func `a part keeps its lines and begins before the match`() {
        let text = "\(Self.filler)\nThe electrician came.\n\(Self.filler)"
        let place = Self.filler.utf8.count + 5
        let part = Snippet.part(of: text, at: place, characters: 120)
        #expect(part.contains("\nThe electrician came.\n") && part.count <= 120)
        #expect(Snippet.part(of: "short", at: 2, characters: 120) == "short")
    }

    @Test func `only the beginning of a long text is compared with the title`() {
        let line = String(repeating: "tide ", count: 1_000_000)
        for _ in 0..<100 { #expect(Snippet.line(of: line, title: "Spring tide").hasPrefix("tide tide")) }
        // The title stands above a text of any length.
        #expect(Snippet.line(of: "# Spring tide\n\n" + line, title: "Spring tide").hasPrefix("tide tide"))
        let spaces = String(repeating: " \n", count: 1_000)
        #expect(Snippet.line(of: "Spring tide" + spaces + "High.", title: "Spring tide") != "Spring tide High.")
        // A line that goes on behind the part that is compared is no title, whatever its beginning is.
        let blank = String(repeating: " ", count: 1_000)
        #expect(Snippet.line(of: "Spring tide" + blank + "at the pier", title: "Spring tide").hasPrefix("Spring tide"))
    }

    @Test(arguments: [
        ("---\naliases: [Home]\n---\nThe fuse box.", "fuse", "The fuse box."),
        ("---\r\na: b\r\n---\r\n# House\r\nThe fuse box.", "fuse", "The fuse box."),
        ("---\naliases: [Home]\n---\nThe fuse box.", "Home", "--- aliases: [Home] --- The fuse box."),
        ("---\naliases: [Home]\n---\n", "none", "--- aliases: [Home] ---"),
        ("---\na rule, and no end\n", "none", "--- a rule, and no end"), ("---", "none", "---"),
        ("--- \nnot one\n---\nThe fuse box.", "none", "--- not one --- The fuse box."),
    ])
    func `front matter is left out, unless the match is there`(text: String, word: String, expected: String) {
        #expect(Snippet.line(of: text, title: "House", matches: matches(text, [word])) == expected)
    }
}
