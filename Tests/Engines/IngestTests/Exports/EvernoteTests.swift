import Foundation
import Ingest
import TestSupport
import Testing

/// ENEX files, the export of Evernote.
@Suite struct EvernoteTests {
    static func note(
        _ title: String, _ markup: String, created: String = "20240115T101500Z", more: String = ""
    ) -> String {
        """
        <note><title>\(title)</title><content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>\(markup)</en-note>]]></content>
        <created>\(created)</created><updated>20240116T101500Z</updated>\(more)</note>

        """
    }

    static func file(_ notes: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
        <en-export export-date="20240117T101500Z" application="Evernote" version="10">
        \(notes.joined())</en-export>
        """
    }

    @Test func `a note has its text in Markdown, tags, date, source and the names of its files`() throws {
        let markup = """
            <h1>Tides &amp; moons</h1><div>First <b>line</b><br/></div><div>See <a href="https://example.org/t">the table</a> and
            <a href="https://example.org">https://example.org</a></div><div><en-todo checked="true"/>Buy rope</div>
            <div><en-todo/>Mend sail</div><ul><li>one</li><li><div>two</div></li></ul>
            <ul style="--en-todo:true;"><li style="--en-checked:false;">open</li><li style="--en-checked:true;">done</li></ul>
            <blockquote>said</blockquote><pre>let x = 1
              + 2</pre><div><en-media hash="ab" type="image/png"/></div>
            """
        let more = """
            <tag>sea</tag><tag>moon phases</tag><note-attributes><source-url>https://example.org/page</source-url></note-attributes>
            <task><title>Ask Ada</title><taskStatus>completed</taskStatus></task>
            <resource><data encoding="base64">iVBORw0KGgo=</data><mime>image/png</mime><resource-attributes>
            <file-name>map.png</file-name></resource-attributes></resource>
            """
        let read = try ExportHome.read("notes.enex", Self.file([Self.note("Tides &lt;1&gt;", markup, more: more)]))
        #expect(read.format == .evernote && read.problems.isEmpty)
        let note = try #require(read.notes.first)
        #expect(note.title == "Tides <1>")
        #expect(
            note.content == """
                # Tides & moons

                First line

                See [the table](https://example.org/t) and https://example.org

                - [x] Buy rope

                - [ ] Mend sail

                - one
                - two
                - [ ] open
                - [x] done

                > said

                ```
                let x = 1
                  + 2
                ```

                [file image/png]

                - [x] Ask Ada

                Files: map.png

                Source: https://example.org/page
                """)
        #expect(note.tags == ["sea", "moon phases"] && note.createdAt == "2024-01-15T10:15:00Z")
        #expect(note.location == "notes.enex:1" && note.warnings.isEmpty)
    }

    @Test func `an edited note keeps its identity, and two notes of one text have two`() throws {
        let old = try ExportHome.read(
            "a.enex", Self.file([Self.note("A", "one"), Self.note("B", "one", created: "20240115T101501Z")]))
        let new = try ExportHome.read(
            "b.enex", Self.file([Self.note("A, edited", "two"), Self.note("B", "one", created: "20240115T101501Z")]))
        #expect(old.notes.map(\.externalID) == new.notes.map(\.externalID))
        #expect(Set(old.notes.map(\.externalID)).count == 2)
    }

    @Test func `a damaged note does not touch the next, and nothing expands`() throws {
        let good = Self.note("Good", "text")
        let bomb = "<!DOCTYPE note [<!ENTITY a \"" + String(repeating: "x", count: 1000) + "\">]>"
        let text = Self.file([
            good, "<note><title>Open</title><content><![CDATA[<en-note>lost end", good, bomb,
            "<note><title>&a;&nbsp;Entity</title><content></content></note>", "<note></note>", "<notes>no</notes>",
            good,
        ])
        let read = try ExportHome.read("a.enex", text)
        #expect(read.notes.map(\.title) == ["Good", "Open", "Good", "Entity", "Good"])
        #expect(read.notes.map { $0.warnings.isEmpty } == [true, false, true, false, true])
        #expect(read.notes[1].content == "lost end")
        #expect(read.problems.map(\.isEmpty) == [true])
        #expect(
            try ExportHome.read("a.enex", "<en-export></en-export>").problems.map(\.reason) == [
                "has no notes of Evernote; export them again as ENEX"
            ])
    }

    @Test(.slow) func `attachments larger than memory's share are passed over`() throws {
        let line = String(repeating: "QUJD", count: 19) + "\n"
        let data =
            "<resource><data encoding=\"base64\">" + String(repeating: line, count: 1_200_000) + "</data></resource>"
        let text = Self.file([Self.note("A", "one", more: data), Self.note("B", "two")])
        let read = try ExportHome.read("a.enex", text)
        #expect(read.notes.map(\.title) == ["A", "B"] && read.problems.isEmpty)
        #expect(read.notes[0].content == "one\n\nFiles: without a name")
    }
}
