import Foundation
import Ingest
import TestSupport
import Testing

/// Exports of Notion as Markdown and CSV.
@Suite struct NotionTests {
    private static let (one, two, three) = (
        String(repeating: "1a", count: 16), String(repeating: "2B", count: 16), String(repeating: "3", count: 32)
    )
    private static let long = "A row with a title that is longer than names of files may be, of all things"
    static let files: [(name: String, text: String)] = [
        (
            "Export/Boat log \(one).md",
            "# Boat log: 2024\n\nTags: sea, log book\nCreated: January 15, 2024 10:00 AM\n\nFirst #entry\n\nKey: no field\n"
        ),
        ("Export/Boat log \(one)/map.png", "x"),
        ("Export/Tasks \(two).csv", "\u{FEFF}Name,Status\nBuy rope,Open\n"),
        (
            "Export/Tasks \(two)_all.csv",
            "\u{FEFF}Name,Status,Tags,Created\nBuy rope!,Open,,\n\(long),Open,,\n\"Mend\nsail\",\"Done, late\",\"boat, yard\",\"January 16, 2024\"\n,,,\n"
        ),
        ("Export/Tasks \(two)/Buy rope \(three).md", "# Buy rope!\n\nStatus: Open\n"),
        ("Export/Tasks \(two)/\(long.prefix(45)) \(one.replacing("1a", with: "44")).md", "# \(long)\n"),
    ]

    private func check(_ read: ExportHome.Read, place: String) {
        #expect(read.format == .notion)
        #expect(read.notes.map(\.title) == ["Boat log: 2024", Self.long, "Buy rope!", "Mend sail"])
        #expect(
            read.notes.map(\.externalID).prefix(3) == [
                "notion:\(Self.one)", "notion:\(String(repeating: "44", count: 16))", "notion:\(Self.three)",
            ])
        #expect(
            read.notes[0].content.hasSuffix("First #entry\n\nKey: no field") && read.notes[0].createdAt == "2024-01-15")
        #expect(read.notes[0].tags == ["sea", "log book", "entry"])
        #expect(
            read.notes[3].content == "Database: Tasks\nStatus: Done, late\nTags: boat, yard\nCreated: January 16, 2024")
        #expect(read.notes[3].tags == ["boat", "yard"] && read.notes[3].createdAt == "2024-01-16")
        #expect(read.notes[3].location == "\(place)/Export/Tasks \(Self.two)_all.csv:4")
        #expect(read.problems.map(\.reason) == ["is an empty row"])
        #expect(read.otherFiles == ["png": 1])
    }

    @Test func `pages and rows without a page are read from an archive and from a folder`() throws {
        check(try ExportHome.read("notion.zip", ZipWriter.archive(Self.files)), place: "notion.zip")
        check(
            try ExportHome().read(Self.files.map { ("n/" + $0.name, Array($0.text.utf8)) }, at: "n"), place: "n")
    }

    @Test func `an archive of parts is read as one, and a damaged part is listed`() throws {
        var writer = ZipWriter()
        writer.add("Part-1.zip", ZipWriter.archive(Array(Self.files.prefix(3))))
        writer.add("Part-2.zip", ZipWriter.archive(Array(Self.files.dropFirst(3))))
        check(try ExportHome.read("notion.zip", writer.bytes), place: "notion.zip")
        writer.add("Part-3.zip", [1, 2, 3])
        let read = try ExportHome.read("notion.zip", writer.bytes)
        #expect(read.notes.count == 4)
        #expect(
            read.problems.first
                == IngestProblem(
                    location: "notion.zip/Part-3.zip",
                    reason: "The file is not a complete ZIP archive. Download or export it again."))
        // An archive in a part is no part.
        var nested = ZipWriter()
        nested.add("Part-1.zip", writer.bytes)
        #expect(throws: IngestError.self) { try ExportHome.read("notion.zip", nested.bytes) }
    }

    @Test func `a folder of Markdown whose names have no ids is none of Notion`() throws {
        let folder = try Ingesting.Folder()
        try folder.write("a \(Self.one).md", "x")
        try folder.write("b.md", "x")
        #expect(try NoteReader(path: folder.url.path).format == .markdown)
        let read = try ExportHome().read([("n/a.md", Array("text".utf8))], at: "n", as: .notion)
        #expect(read.notes.map(\.title) == ["a"] && read.notes[0].externalID?.hasPrefix("notion:") == true)
    }
}
