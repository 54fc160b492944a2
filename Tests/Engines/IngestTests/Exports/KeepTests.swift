import Foundation
import Ingest
import TestSupport
import Testing

/// The JSON files of Google Keep in a Takeout.
@Suite struct KeepTests {
    static let files: [(name: String, text: String)] = [
        (
            "Takeout/Keep/Rope.json",
            #"""
            {"color":"DEFAULT","isTrashed":false,"isPinned":true,"isArchived":false,"textContent":"Buy rope\nand tar","title":"Rope",
             "userEditedTimestampUsec":1705399200000000,"createdTimestampUsec":1705312800123456,"labels":[{"name":"boat yard"}],
             "annotations":[{"title":"A shop","url":"https://example.org","source":"WEBLINK"}],
             "attachments":[{"filePath":"a.png","mimetype":"image/png"}]}
            """#
        ),
        (
            "Takeout/Keep/2024-01-15T10_00_00.000Z.json",
            #"""
            {"isTrashed":false,"title":"","listContent":[{"text":"sail","isChecked":true},{"text":"oars\u00e9","isChecked":false}],
             "userEditedTimestampUsec":1705399200000000,"createdTimestampUsec":1705312801000000}
            """#
        ),
        (
            "Takeout/Keep/Gone.json",
            #"{"isTrashed":true,"title":"Gone","textContent":"x","userEditedTimestampUsec":1,"createdTimestampUsec":1}"#
        ),
        ("Takeout/Keep/Broken.json", #"{"isTrashed":false"#),
        ("Takeout/Keep/Blank.json", #"{"isTrashed":false,"title":"","textContent":"","userEditedTimestampUsec":2}"#),
        ("Takeout/Keep/Labels.txt", "boat yard"), ("Takeout/Maps/x.json", "{}"),
    ]

    @Test(arguments: [true, false])
    func `texts, tasks, labels, links and files of a folder and of an archive are read`(isArchive: Bool) throws {
        let read =
            isArchive
            ? try ExportHome.read("takeout.zip", ZipWriter.archive(Self.files))
            : try ExportHome().read(
                Self.files.map { ("takeout.zip/" + $0.name, Array($0.text.utf8)) }, at: "takeout.zip")
        #expect(read.format == .keep)
        #expect(read.notes.map(\.title) == ["sail", "Rope"])
        #expect(
            read.notes.map(\.content) == [
                "- [x] sail\n- [ ] oarsé", "Buy rope\nand tar\n\n[A shop](https://example.org)\n\n[file a.png]",
            ])
        #expect(read.notes.map(\.tags) == [[], ["boat yard"]])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:01Z", "2024-01-15T10:00:00Z"])
        #expect(read.notes.map(\.externalID) == ["keep:1705312801000000", "keep:1705312800123456"])
        #expect(read.notes.allSatisfy { $0.warnings.isEmpty })
        #expect(
            read.problems == [
                IngestProblem(
                    location: "takeout.zip/Takeout/Keep/Blank.json", reason: "has neither a title nor a text",
                    isEmpty: true),
                IngestProblem(
                    location: "takeout.zip/Takeout/Keep/Broken.json", reason: "is not a note of Google Keep in JSON"),
                IngestProblem(
                    location: "takeout.zip/Takeout/Keep/Gone.json", reason: "is in the trash of Google Keep",
                    isEmpty: true),
            ])
        #expect(read.otherFiles == ["txt": 1, "json": 1])
    }
}
