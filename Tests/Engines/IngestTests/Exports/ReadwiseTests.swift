import Foundation
import Ingest
import Testing

/// The CSV file of Readwise.
@Suite struct ReadwiseTests {
    private let head =
        "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags"

    @Test func `a record is a highlight with its note, tags, place and time`() throws {
        let records = #"""
            "He said ""call me""
            Ishmael, twice",Moby Dick,Herman Melville,B00,"An opening, ""loud""",yellow,"sea, ships",page,12,2024-01-15 10:23:45+00:00,classics
            An article,How to Read,,,,,,order,0,2024-01-16 08:00:00+00:00,
            ,,,,,,,,,,

            """#
        let text = "\u{FEFF}\(head)\n\(records)".replacing("\n", with: "\r\n")
        let read = try ExportHome.read("readwise-data.csv", text)
        #expect(read.format == .readwise)
        #expect(read.notes.map(\.title) == ["Moby Dick, page 12", "How to Read"])
        #expect(
            read.notes.map(\.content) == [
                "> He said \"call me\"\n> Ishmael, twice\n\nAn opening, \"loud\"\n\n— Herman Melville, Moby Dick, page 12",
                "> An article\n\n— How to Read",
            ])
        #expect(read.notes.map(\.tags) == [["sea", "ships", "classics"], []])
        #expect(read.notes.map(\.threads) == [["Moby Dick"], ["How to Read"]])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15 10:23:45+00:00", "2024-01-16 08:00:00+00:00"])
        #expect(read.notes.map(\.unreadFields) == [["amazon book id", "color"], []])
        #expect(read.notes.allSatisfy { $0.warnings.isEmpty })
        #expect(
            read.problems == [
                IngestProblem(
                    location: "readwise-data.csv:4", reason: "has neither a highlight nor a note", isEmpty: true)
            ])
    }

    @Test func `columns may be in any order, and an edited text keeps its identity`() throws {
        let one = try ExportHome.read("a.csv", "Highlighted at,Book Title,Highlight\n2024-01-15 10:23,B,old\n")
        let two = try ExportHome.read("b.csv", "HIGHLIGHT,Note,book title,Highlighted at\nnew,n,B,2024-01-15 10:23\n")
        #expect(one.notes.map(\.externalID) == two.notes.map(\.externalID))
        #expect(two.notes.map(\.content) == ["> new\n\nn\n\n— B"])
    }

    @Test func `more fields than columns, a bad date and an open quotation are read and said`() throws {
        let read = try ExportHome.read(
            "a.csv", "Highlight,Book Title,Highlighted at\none,B,soon,more\n\"two,B,2024-01-15 10:23\n")
        #expect(read.notes.map(\.content) == ["> one\n\n— B\n\nmore", "> two,B,2024-01-15 10:23"])
        #expect(read.notes.map(\.warnings.count) == [2, 1])
        #expect(read.notes[1].warnings == ["the file ends within this highlight, or without a line end behind it"])
    }

    @Test func `another table is no export of Readwise`() throws {
        #expect(try ExportHome.read("a.csv", "Name,Value\n1,2\n").format == .markdown)
        #expect(
            try ExportHome.read("a.csv", "Name,Value\n1,2\n", as: .readwise).problems.map(\.reason) == [
                "has no column \"Highlight\" in its first line; export the highlights of Readwise again"
            ])
    }
}
