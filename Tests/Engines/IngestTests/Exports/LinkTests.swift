import Foundation
import Ingest
import Testing

/// Bookmarks, outlines, feeds and pages.
@Suite struct LinkTests {
    static let bookmarks = """
        <!DOCTYPE NETSCAPE-Bookmark-file-1>
        <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
        <TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
        <DL><p>
            <DT><H3 ADD_DATE="1705312800">Boats</H3>
            <DL><p>
                <DT><A HREF="https://example.org/t?a=1&amp;b=2" ADD_DATE="1705312800" TAGS="sea,moon">Tides &amp; é</A>
                <DD>How tides work,
                in short.
                <DT><H3>Yards</H3>
                <DL><p>
                    <DT><A HREF="https://example.org/y" ADD_DATE="1705312800000000">Yard</A>
                </DL><p>
                <DT><A HREF="https://example.org/z">Z</A>
            </DL><p>
            <DT><A HREF="https://example.org/y" ADD_DATE="1">Again</A>
            <DT><A HREF="https://example.org/n"></A>
        </DL><p>

        """
    static let outline = """
        <?xml version="1.0" encoding="UTF-8"?>
        <opml version="2.0"><head><title>All</title></head><body>
        <outline text="Boat" _note="Ours" created="Mon, 15 Jan 2024 10:00:00 GMT"><outline text="Rope"><outline text="old &amp; new"/></outline><outline text="Sail"/></outline>
        <outline text="Science"><outline text="Moons" type="rss" xmlUrl="https://example.org/feed" htmlUrl="https://example.org"/>
        <outline title="" xmlUrl="https://example.org/b"/></outline>
        <outline text="Alone é"/>
        </body></opml>

        """

    @Test func `bookmarks have their folders as tags, and an address is one note`() throws {
        let read = try ExportHome.read("bookmarks.html", Self.bookmarks)
        #expect(read.format == .bookmarks && read.problems.isEmpty)
        #expect(read.notes.map(\.title) == ["Tides & é", "Yard", "Z", "https://example.org/n"])
        #expect(
            read.notes.map(\.content)
                == [
                    "https://example.org/t?a=1&b=2\n\nHow tides work,\n        in short.", "https://example.org/y",
                    "https://example.org/z", "https://example.org/n",
                ].map { $0.replacing("\n        in", with: "\n        in") })
        #expect(read.notes.map(\.tags) == [["Boats", "sea", "moon"], ["Boats", "Yards"], ["Boats"], []])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:00Z", "2024-01-15T10:00:00Z", nil, nil])
        #expect(read.notes[1].externalID == "bookmarks:https://example.org/y")
        #expect(
            try ExportHome.read("a.html", "<p>text", as: .bookmarks).problems.map(\.reason) == [
                "has no bookmarks; export them again as HTML"
            ])
    }

    @Test func `an outline is a note with a list, and a feed is its addresses`() throws {
        let read = try ExportHome.read("all.opml", Self.outline)
        #expect(read.format == .opml && read.problems.isEmpty)
        #expect(read.notes.map(\.title) == ["Boat", "Moons", "https://example.org/b", "Alone é"])
        #expect(
            read.notes.map(\.content) == [
                "Ours\n- Rope\n  - old & new\n- Sail", "https://example.org/feed\nhttps://example.org",
                "https://example.org/b", "",
            ])
        #expect(read.notes.map(\.tags) == [[], ["Science"], ["Science"], []])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15 10:00:00", nil, nil, nil])
        let deep = String(repeating: "<outline text=\"x\">", count: 3000) + String(repeating: "</outline>", count: 3000)
        #expect(try ExportHome.read("a.opml", "<opml><body>\(deep)</body></opml>").notes.count == 1)
        let bomb = "<!DOCTYPE opml [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>"
        let expanded = try ExportHome.read(
            "a.opml", bomb + "<opml><body><outline text='T'/><outline text='&b;'/></body></opml>")
        #expect(expanded.notes.map(\.content.utf8.count).reduce(0, +) < 1000)
    }

    @Test func `a folder of pages is a note for each, with its path for its identity`() throws {
        let folder = try Ingesting.Folder()
        try folder.write("n/Boat list.html", "<html><head><title>Boat</title></head><body><ul><li>rope</ul><p>#yard")
        try folder.write(
            "n/deep/plain.htm",
            "<h2>Head</h2><p>See <a href='https://example.org'>it</a> <img alt='a map' src='x.png'> <a href='https://example.org/b'><img src='https://example.org/s.png'></a>"
        )
        try folder.write("n/none.html", "<script>x</script>")
        let reader = try NoteReader(path: folder.url.appending(path: "n").path)
        #expect(reader.format == .html)
        let (notes, problems) = Ingesting().readAll(reader)
        #expect(notes.map(\.title) == ["Boat", "Head"])
        #expect(
            notes.map(\.content) == [
                "- rope\n\n#yard",
                "## Head\n\nSee [it](https://example.org) [picture a map] [[picture s.png]](https://example.org/b)",
            ])
        #expect(notes.map(\.tags) == [["yard"], []] && problems.map(\.isEmpty) == [true])
        #expect(notes[0].externalID == reader.place + "/Boat list.html" && notes.allSatisfy(\.isDateGuessed))
    }
}
