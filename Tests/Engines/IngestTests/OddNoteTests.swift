import Foundation
import Ingest
import Testing

/// Files that people have in their folders, and what must stay of them.
@Suite struct OddNoteTests {
    /// Reads one file.
    private func read(_ data: Data, _ name: String = "note.md") throws -> IngestedNote {
        let folder = try Ingesting.Folder()
        try folder.write(name, data)
        let reader = try NoteReader(path: folder.url.appending(path: name).path)
        let results = reader.next(10)
        #expect(results.count == 1)
        return try #require(results.first).get()
    }

    private func read(_ text: String, _ name: String = "note.md") throws -> IngestedNote {
        try read(Data(text.utf8), name)
    }

    @Test(arguments: [
        ("title: Fwd: Clever hints.....", "Fwd: Clever hints....."), ("title: @home list", "@home list"),
        ("title: \"Say \"hello\" twice\"", "Say \"hello\" twice"), ("title: %done so far", "%done so far"),
        ("title: `code` first", "`code` first"), ("title: 'it's late'", "it's late"), ("title: * starred", "* starred"),
        ("title: & co", "& co"), ("title: !bang", "!bang"), ("title: {{title}}", "{{title}}"),
        ("family: [[Smith]]  [[Jones]]", "note"), ("site_name: XX: YY", "note"), ("tags:\n\t- a\n\t- b", "note"),
        ("tags: a\ntags: b", "note"), ("title: a\n  b: c\n d", "a b: c d"), ("\"unclosed: x", "note"),
    ])
    func `front matter that is not strict YAML is read by lines and stays in the text`(header: String, title: String)
        throws
    {
        let note = try read("---\n\(header)\n---\nbody zebra\n")
        #expect(note.title == title)
        #expect(note.content.hasSuffix("body zebra"))
        if note.warnings.isEmpty {
            #expect(
                header == "title: {{title}}" || header == "title: !bang" || header == "title: a\n  b: c\n d", "\(note)")
        } else {
            #expect(note.content.hasPrefix("---\n\(header)\n---"))
        }
        if header.hasPrefix("tags") { #expect(note.tags == ["a", "b"]) }
    }

    @Test func `a front matter that repeats itself without end is read by lines, soon`() throws {
        let bomb =
            "a: &a [x]\n"
            + (1...30).map { "k\($0): &b\($0) [*\($0 == 1 ? "a" : "b\($0 - 1)"), *a]" }.joined(separator: "\n")
        let note = try read("---\ntitle: Bomb\n\(bomb)\n---\nbody zebra\n")
        #expect(note.title == "Bomb" && note.content.contains("k30:") && note.content.hasSuffix("body zebra"))
        #expect(note.warnings.contains { $0.contains("repeats itself") })
        // Line ends outside ASCII are line ends of YAML, and words in stars are no aliases.
        let hidden = "a: &a [x]\nb:\u{2028}" + String(repeating: "- *a\u{2028}", count: 20)
        #expect(
            try read("---\ntitle: H\n\(hidden)\n---\nbody zebra\n").warnings.contains { $0.contains("repeats itself") })
        let words = "about: |\n  R &x " + (1...20).map { "*word\($0)*" }.joined(separator: " ")
        #expect(try read("---\ntitle: W\n\(words)\n---\nbody zebra\n").warnings.isEmpty)
        let long = "tags:\n" + String(repeating: "- x\n", count: 60_000)
        #expect(try read("---\ntitle: Long\n\(long)---\nbody zebra\n").title == "Long")
    }

    @Test func `an exported file with a property of its own keeps that property alone with the text`() throws {
        let header = "title: T\nselene_id: 5\naliases:\n  - x\n  - y\nstatus: open\ntags: [a]"
        let note = try read("---\n\(header)\n---\nbody zebra\n")
        #expect(note.content.hasPrefix("---\naliases:\n  - x\n  - y\nstatus: open\n---\n"), "\(note.content)")
        #expect(note.content.hasSuffix("body zebra") && note.exportOf == 5 && note.tags == ["a"])
    }

    @Test(
        arguments: [
            ("15.01.2024", "2024-01-15"), ("2024/01/15", "2024-01-15"), ("2024.1.5", "2024-01-05"),
            ("15 January 2024", "2024-01-15"), ("January 15, 2024", "2024-01-15"), ("15. März 2024", "2024-03-15"),
            ("Mon, 15 Jan 2024 10:00:00 GMT", "2024-01-15"), ("20240115T101500Z", "2024-01-15"),
            ("13/02/2024", "2024-02-13"),
            ("02/13/2024", "2024-02-13"), ("1705312800", "2024-01-15 10:00:00"),
            ("1705312800000", "2024-01-15 10:00:00"),
            ("2024-02-30", nil), ("03/04/2024", nil), ("31.02.2024", nil), ("yesterday", nil), ("2024-13-01", nil),
            ("99999999999999999999", nil), ("2024", nil),
        ] as [(String, String?)])
    func `odd dates are read, or the file's date stands in, with a warning`(written: String, expected: String?) throws {
        let note = try read("---\ncreated: \(written)\n---\nbody zebra\n")
        #expect(note.content == "body zebra" && note.warnings.count == 1, "\(note.warnings)")
        if let expected {
            #expect(note.createdAt == expected && !note.isDateGuessed)
        } else {
            #expect(note.isDateGuessed)
        }
    }

    @Test(arguments: ["2024-01-15", "2024-01-15T10:00:00Z", "2024-01-15 10:00", "2024-01-15T10:00:00.123+01:00"])
    func `documented dates are kept as they are`(date: String) throws {
        let note = try read("---\ncreated: \(date)\n---\nx")
        #expect(note.createdAt == date && note.warnings.isEmpty)
    }

    @Test func `a rule is no front matter, and what is between two rules is text`() throws {
        let first = try read("---\n\nA note that begins with a rule, zebra\n\nmore\n")
        #expect(first.title == "note" && first.content.contains("zebra") && first.warnings.count == 1)
        let second = try read("---\n\nBetween rules, zebra\n\n---\n# After\nmore\n")
        #expect(second.content.contains("zebra") && second.warnings.count == 1 && second.title == "After")
        let sentence = try read("---\nTo do today: zebra\n---\nmore\n")
        #expect(sentence.content.contains("zebra"))
        let alone = try read("---\nsummary: zebra\n---\n")
        #expect(alone.content.contains("zebra"))
        let deep = try read("---\na: \(String(repeating: "[", count: 100_000))\n---\nzebra\n")
        #expect(deep.content.hasSuffix("zebra") && deep.warnings.count == 1)
    }

    @Test func `text after U+0000 is kept, in Markdown and in JSON`() throws {
        let note = try read(Data("# Nul\n\nbefore\0after walrus\n".utf8), "nul.md")
        #expect(note.content == "# Nul\n\nbefore\u{FFFD}after walrus" && note.warnings.count == 1)
        let json = try read(#"{"id": 1, "title": "a\u0000b", "content": "before\u0000after walrus"}"#, "n.jsonl")
        #expect(json.content == "before\u{FFFD}after walrus" && json.title == "a\u{FFFD}b" && json.warnings.count == 1)
    }

    @Test func `files in other character sets are read as books are`() throws {
        let text = "# Café\n\nnaïve zebra für Größe\n"
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .isoLatin1, .windowsCP1252] {
            var data = try #require(text.data(using: encoding))
            if encoding == .utf16BigEndian { data = Data([0xFE, 0xFF]) + data }
            if encoding == .utf16LittleEndian { data = Data([0xFF, 0xFE]) + data }
            let note = try read(data)
            #expect(note.title == "Café" && note.content == text.trimmingCharacters(in: .newlines), "\(encoding)")
            #expect(note.warnings.count == 1)
        }
        let bare = try #require(text.data(using: .utf16BigEndian))
        #expect(
            try read(bare).title == "Café" && read(try #require(text.data(using: .utf16LittleEndian))).title == "Café")
        let lines = try #require("{\"id\":1,\"content\":\"für zebra\"}\n".data(using: .utf16))
        #expect(try read(lines, "wide.jsonl").content == "für zebra")
        #expect(try read("one\rtwo\r", "mac.md").content == "one\ntwo")
    }

    @Test(arguments: [
        ("#project #idea\ntext", "plan"), ("#!/bin/sh\ntext", "plan"), ("```\n# comment\n```\n# Real\n", "Real"),
        ("####### seven\n", "plan"), ("# \n## Second ##\n", "Second"), ("   ### Third\n", "Third"), ("#\tTab\n", "Tab"),
        ("# C#\n", "C#"), ("    # code\n", "plan"),
    ])
    func `a heading needs white space behind its signs`(text: String, title: String) throws {
        #expect(try read(text, "plan.md").title == title)
    }

    @Test(arguments: [
        ("tags: '#alpha, #beta'", ["alpha", "beta"]), ("tags: alpha beta", ["alpha", "beta"]),
        ("Tags: [alpha, '#beta']", ["alpha", "beta"]), ("TAGS:\n- alpha\n- beta", ["alpha", "beta"]),
        ("tag: alpha", ["alpha"]), ("tags: '#alpha #beta'", ["alpha", "beta"]), ("tags: null", []), ("tags:", []),
        ("tags: machine learning, art", ["machine learning", "art"]), ("tags: [a, [b, a]]", ["a", "b"]),
        ("title: null", []), ("Title: ~", []),
    ])
    func `tags are read as authors write them, keys in any case`(header: String, tags: [String]) throws {
        let note = try read("---\n\(header)\n---\nbody\n", "plan.md")
        #expect(note.tags == tags && note.title == "plan", "\(note)")
        let inline = try read("---\n\(header)\n---\nbody #inline/sub and no#tag #1\n", "plan.md")
        #expect(inline.tags == tags + ["inline/sub"])
    }

    @Test func `lines of JSON keep their text whatever their fields are`() throws {
        let folder = try Ingesting.Folder()
        let lines = [
            #"{"id":1,"title":"t","content":{"a":1}}"#, #"{"id":2,"title":"t","body":"zebra"}"#, #"[1,2]"#, #""text""#,
            #"{"id":{"x":1},"content":"c","created_at":true,"tags":{"a":1},"threads":7}"#, #"{"content":"cut"#,
            #"{"Content":"upper","TAGS":"a b","Date":1705312800}"#, #"{"content":"\ud800"}"#,
        ]
        try folder.write("n.jsonl", lines.joined(separator: "\n"))
        let (notes, problems) = Ingesting().readAll(try NoteReader(path: folder.url.path))
        #expect(problems.isEmpty && notes.count == lines.count)
        #expect(notes.prefix(7).map(\.content) == [#"{"a":1}"#, lines[1], lines[2], lines[3], "c", lines[5], "upper"])
        #expect(notes[6].tags == ["a", "b"] && notes[6].createdAt == "2024-01-15 10:00:00")
        #expect(notes.dropLast(2).allSatisfy { !$0.warnings.isEmpty })
    }

    @Test func `one JSON document is read as its objects`() throws {
        let folder = try Ingesting.Folder()
        try folder.write("n.jsonl", "[\n {\"id\": 1, \"content\": \"one\"},\n {\"id\": 2, \"content\": \"two\"}\n]\n")
        let (notes, problems) = Ingesting().readAll(try NoteReader(path: folder.url.path))
        #expect(problems.isEmpty && notes.map(\.content) == ["one", "two"])
    }

    @Test func `identities name the place, and other files and folders are listed`() throws {
        let folder = try Ingesting.Folder()
        try folder.write("work/notes/todo.md", "walrus")
        try folder.write("home/notes/todo.md", "penguin")
        try folder.write("home/notes/picture.png", Data([1]))
        try folder.write("home/notes/LICENSE", "x")
        let outside = try Ingesting.Folder()
        try outside.write("x.md", "x")
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "home/notes/linked"), withDestinationURL: outside.url)
        let work = try NoteReader(path: folder.url.appending(path: "work/notes").path)
        let home = try NoteReader(path: folder.url.appending(path: "home/notes").path)
        let notes = Ingesting().readAll(work).notes + Ingesting().readAll(home).notes
        #expect(Set(notes.compactMap(\.externalID)).count == 2)
        #expect(notes.map(\.formerIDs) == [["notes/todo.md"], ["notes/todo.md"]])
        #expect(home.otherFiles == ["png": 1, "": 1])
        #expect(home.skippedLinks.map { URL(filePath: $0).lastPathComponent } == ["linked"])
        let alone = try NoteReader(path: folder.url.appending(path: "work/notes/todo.md").path)
        #expect(Ingesting().readAll(alone).notes.first?.externalID == notes.first?.externalID)
    }
}
