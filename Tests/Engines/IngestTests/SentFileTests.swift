import Ingest
import Testing

/// Files that a client sends.
@Suite struct SentFileTests {
    private func read(_ path: String, _ text: String, _ modifiedAt: Int64? = 86_400) throws -> IngestedNote {
        try SentFile.read(path: path, text: text, modifiedAt: modifiedAt).get()
    }

    @Test func `a sent file is read as one of a folder, and named by its path`() throws {
        let header = "---\r\ntitle: Tide table\r\ntags: sea, moon\r\ndate: 2026-03-01\r\n---\r\nHigh at noon #pier\r\n"
        let note = try read("vault/./deep/a.md", header)
        #expect(note.title == "Tide table" && note.content == "High at noon #pier")
        #expect(note.tags == ["sea", "moon", "pier"])
        #expect(note.createdAt == "2026-03-01" && !note.isDateGuessed)
        #expect(note.externalID == "upload:vault/deep/a.md" && note.formerIDs.isEmpty)
        #expect(try read("/vault/b.txt", "text").externalID == "upload:vault/b.txt")
    }

    @Test(arguments: [
        ("2026-01-31 walk.md", "text", "2026-01-31 walk", "2026-01-31"),
        ("deep/a.b.txt", "# Head\ntext", "Head", "1970-01-02"),
        ("plain", "text", "plain", "1970-01-02"), ("deep/.hidden", "text", ".hidden", "1970-01-02"),
    ])
    func `title and date fall back to heading, name and time`(
        path: String, text: String, title: String, date: String
    ) throws {
        let note = try read(path, text)
        #expect(note.title == title)
        #expect(note.createdAt?.hasPrefix(date) == true)
    }

    @Test func `a file without text is none, and no sent file is an export`() throws {
        #expect(throws: IngestProblem(location: "a.md", reason: "is empty", isEmpty: true)) {
            try read("a.md", " \n\t")
        }
        #expect(try read("a.md", "---\nselene_id: 3\n---\ntext").exportOf == nil)
        let broken = try read("b.md", "---\ntitle: \"open\ntext")
        #expect(broken.content.contains("text") && broken.warnings.count == 1)
        #expect(try read("c.md", "a\u{0}b", nil).createdAt == nil)
    }
}
