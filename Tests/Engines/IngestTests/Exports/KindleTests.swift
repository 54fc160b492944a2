import Foundation
import Ingest
import Testing

/// `My Clippings.txt` as Kindles write it.
@Suite struct KindleTests {
    /// A file of clippings, with the line ends and the byte order marks of a Kindle.
    static func file(_ clippings: [(book: String, line: String, text: String)]) -> [UInt8] {
        Array(clippings.map { "\u{FEFF}\($0.book)\r\n\($0.line)\r\n\r\n\($0.text)\r\n==========\r\n" }.joined().utf8)
    }

    private func read(_ clippings: [(book: String, line: String, text: String)]) throws -> ExportHome.Read {
        try ExportHome.read("My Clippings.txt", Self.file(clippings))
    }

    private let whale = "Moby Dick (Wordsworth Classics) (Melville, Herman)"

    @Test func `a highlight and the note at its place are one note, and a bookmark is none`() throws {
        let read = try read([
            (
                whale, "- Your Highlight on page 12 | Location 170-172 | Added on Monday, January 15, 2024 10:23:45 PM",
                "Call me Ishmael."
            ),
            (
                whale, "- Your Note on page 12 | Location 172 | Added on Monday, January 15, 2024 10:25:00 PM",
                "An opening!"
            ),
            (whale, "- Your Bookmark on page 40 | Location 600 | Added on Monday, January 15, 2024 10:30:00 PM", ""),
            ("Walden", "- Your Note on Location 5 | Added on Tuesday, January 16, 2024 12:01:02 AM", "Simplify."),
        ])
        #expect(read.format == .kindle)
        #expect(
            read.notes.map(\.title) == ["Moby Dick (Wordsworth Classics), page 12", "Walden, location 5"])
        #expect(
            read.notes.map(\.content) == [
                "> Call me Ishmael.\n\nAn opening!\n\n"
                    + "— Melville, Herman, Moby Dick (Wordsworth Classics), page 12, location 170-172",
                "Simplify.\n\n— Walden, location 5",
            ])
        #expect(read.notes.map(\.threads) == [["Moby Dick (Wordsworth Classics)"], ["Walden"]])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15 22:23:45", "2024-01-16 00:01:02"])
        #expect(read.notes.map(\.location) == ["My Clippings.txt:1", "My Clippings.txt:16"])
        #expect(read.notes.allSatisfy { $0.warnings.isEmpty && $0.tags.isEmpty })
        #expect(
            read.problems == [
                IngestProblem(
                    location: "My Clippings.txt:11", reason: "is a bookmark, which has no text", isEmpty: true)
            ])
    }

    @Test(arguments: [
        ("- Ihre Markierung auf Seite 12 | bei Position 170-172 | Hinzugefügt am Montag, 15. Januar 2024 10:23:45", 0),
        ("- Votre surlignement sur la page 12 | emplacement 170-172 | Ajouté le lundi 15 janvier 2024 10:23:45", 0),
        ("- La subrayado en la página 12 | posición 170-172 | Añadido el lunes, 15 de enero de 2024 10:23:45", 0),
        (
            "- La tua evidenziazione a pagina 12 | posizione 170-172 | Aggiunto in data lunedì 15 gennaio 2024 10:23:45",
            0
        ),
        (
            "- Seu destaque na página 12 | posição 170-172 | Adicionado: segunda-feira, 15 de janeiro de 2024 10:23:45",
            0
        ),
        ("- 12ページ|位置No. 170-172のハイライト |追加日： 2024年1月15日月曜日 10:23:45", 0),
        ("- 您在第 12 页（位置 #170-172）的标注 | 添加于 2024年1月15日星期一 上午10:23:45", 0),
        ("- Highlight on Page 12 | Loc. 170-72  | Added on Monday, January 15, 2024, 10:23 AM", 1),
    ])
    func `the line of a clipping is read in the languages of Kindles`(line: String, old: Int) throws {
        let note = try #require(try read([(whale, line, "text")]).notes.first)
        #expect(note.title.hasSuffix(", page 12"), "\(note.title)")
        #expect(note.content.hasSuffix(old == 0 ? "location 170-172" : "location 170-72"), "\(note.content)")
        #expect(note.createdAt == (old == 0 ? "2024-01-15 10:23:45" : "2024-01-15 10:23:00"))
        #expect(note.content.hasPrefix("> text\n") && note.warnings.isEmpty, "\(note.warnings)")
    }

    @Test(arguments: [
        ("- Ihre Notiz bei Position 170 | Hinzugefügt am Montag, 15. Januar 2024 10:23:45", false),
        ("- Votre note sur la page 12 | Ajouté le lundi 15 janvier 2024 10:23:45", false),
        ("- Tu nota en la posición 170 | Añadido el lunes, 15 de enero de 2024 10:23:45", false),
        ("- Ihr Lesezeichen bei Position 170 | Hinzugefügt am Montag, 15. Januar 2024 10:23:45", true),
        ("- Votre signet sur la page 12 | Ajouté le lundi 15 janvier 2024 10:23:45", true),
        ("- Mi marcador en la posición 170 | Añadido el lunes, 15 de enero de 2024 10:23:45", true),
    ])
    func `notes and bookmarks are known in the languages of Kindles`(line: String, isBookmark: Bool) throws {
        let read = try read([(whale, line, isBookmark ? "" : "text")])
        #expect(read.notes.map { $0.content.hasPrefix("text\n") } == (isBookmark ? [] : [true]))
        #expect(read.problems.map(\.reason) == (isBookmark ? ["is a bookmark, which has no text"] : []))
    }

    @Test func `a kind and a date that are not known stay in the text`() throws {
        let read = try read([
            (whale, "- Zure nabarmentzea 12. orrian | 170-172 | Gehitua: astelehena, 2024.eko urtarrilak 15", "text")
        ])
        let note = try #require(read.notes.first)
        #expect(
            note.content.hasSuffix(
                "Zure nabarmentzea 12. orrian | 170-172 | Gehitua: astelehena, 2024.eko urtarrilak 15"))
        #expect(note.createdAt == nil && note.warnings.count == 2)
    }

    @Test func `of a highlight that was extended the longest stays, and a newer file updates the same note`() throws {
        let line = { (place: String, minute: Int) in
            "- Your Highlight on Location \(place) | Added on Monday, January 15, 2024 10:2\(minute):00 AM"
        }
        let first = (whale, line("170-171", 1), "Some years ago")
        let longer = (whale, line("170-172", 2), "Some years ago, never mind how long precisely")
        let again = (whale, line("169-172", 3), "Ishmael. Some years ago, never mind  how long precisely")
        let other = (whale, line("171-180", 4), "having little or no money")
        let old = try read([first, other])
        let new = try read([first, longer, other, again])
        #expect(old.notes.count == 2 && new.notes.count == 2)
        #expect(new.notes[0].content.hasPrefix("> Ishmael. Some years ago, never mind  how long precisely\n"))
        #expect(
            new.notes[0].warnings == ["2 other clippings at this place are parts of this one; the longest text is kept"]
        )
        #expect(new.notes.map(\.externalID) == old.notes.map(\.externalID))
        #expect(new.notes[0].createdAt == "2024-01-15 10:21:00")
        #expect(new.notes[1].warnings.isEmpty)
        // Of another place, the same text is another note.
        let far = try read([first, (whale, line("900-901", 5), "Some years ago")])
        #expect(far.notes.count == 2 && far.notes[0].externalID != far.notes[1].externalID)
    }

    @Test func `a note that was written again counts once, and two notes of a place stay two paragraphs`() throws {
        let place = "| Location 172 | Added on Monday, January 15, 2024 10:25:00 AM"
        let read = try read([
            (
                whale, "- Your Highlight on page 12 | Location 170-172 | Added on Monday, January 15, 2024 10:23:45 AM",
                "x"
            ),
            (whale, "- Your Note on page 12 \(place)", "Why"), (whale, "- Your Note on page 12 \(place)", "Why this?"),
            (whale, "- Your Note on page 12 \(place)", "Ask Ada."),
        ])
        #expect(
            read.notes.map(\.content) == [
                "> x\n\nWhy this?\n\nAsk Ada.\n\n— Melville, Herman, Moby Dick (Wordsworth Classics), page 12, location 170-172"
            ])
        #expect(
            read.notes[0].warnings == ["another clipping at this place is a part of this one; the longest text is kept"]
        )
    }

    @Test func `what is no clipping is kept as text, and a file that ends early says so`() throws {
        let text = "A line of mine\nand another\n==========\n"
        let file = Self.file([
            (whale, "- Your Highlight on Location 1-2 | Added on Monday, January 15, 2024 10:23:45 AM", "one")
        ])
        let read = try ExportHome.read(
            "My Clippings.txt", file + Array(text.utf8))
        #expect(read.notes.map(\.title) == ["Moby Dick (Wordsworth Classics), location 1-2", "A line of mine"])
        #expect(read.notes[1].content == "A line of mine\nand another")
        #expect(read.notes[1].warnings == ["is no clipping; kept as text"])
        let cut = try ExportHome.read("My Clippings.txt", file + Array("Walden".utf8))
        #expect(cut.problems.map(\.reason) == ["the file ends within this clipping, which has no text yet"])
    }

    @Test func `ten thousand clippings of one place are read soon`() throws {
        let clippings = (0..<10_000).map {
            (
                whale, "- Your Highlight on Location 1-900000 | Added on Monday, January 15, 2024 10:23:45 AM",
                "text \($0)!"
            )
        }
        #expect(try read(clippings).notes.count == 10_000)
    }
}
