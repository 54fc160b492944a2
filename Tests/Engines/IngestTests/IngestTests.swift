import Foundation
import Ingest
import TestSupport
import Testing

@Suite struct Ingesting {
    /// A folder that goes when the test ends.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "selene-ingest-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

        func write(_ name: String, _ data: Data) throws {
            let file = url.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file)
        }
    }

    func readAll(_ reader: NoteReader, batch: Int = 2) -> (notes: [IngestedNote], problems: [IngestProblem]) {
        var notes: [IngestedNote] = []
        var problems: [IngestProblem] = []
        while true {
            let results = reader.next(batch)
            if results.isEmpty { return (notes, problems) }
            for result in results {
                switch result {
                case .success(let note): notes.append(note)
                case .failure(let problem): problems.append(problem)
                }
            }
        }
    }

    @Test func `front matter gives what it has, and the file gives the rest`() throws {
        let folder = try Folder()
        try folder.write(
            "a.md",
            """
            ---
            title: "Tide: a table"
            date: 2026-03-01
            type: reference
            actionability: none
            threads: [Petrel, 潮]
            tags: a, b
            unknown: {x: 1}
            ---
            Body é 🎻
            """)
        try folder.write("deep/2025-12-31 note.markdown", "# A heading\r\n\r\ntext\r\n")
        try folder.write("plain.md", "just text")
        try folder.write("ignored.txt", "no")
        try folder.write(".hidden/x.md", "no")
        let reader = try NoteReader(path: folder.url.path)
        #expect(reader.format == .markdown)
        let (notes, problems) = readAll(reader)
        #expect(problems.isEmpty)
        #expect(notes.map(\.title) == ["Tide: a table", "A heading", "plain"])
        // Keys that a note does not have stay with the text.
        #expect(
            notes[0].content.hasPrefix("---\ntitle:") && notes[0].content.hasSuffix("unknown: {x: 1}\n---\nBody é 🎻"))
        #expect(notes[0].unreadFields == ["unknown"])
        #expect(notes[0].createdAt == "2026-03-01")
        #expect(notes[0].noteType == "reference")
        #expect(notes[0].threads == ["Petrel", "潮"])
        #expect(notes[0].tags == ["a", "b"])
        #expect(notes[1].createdAt == "2025-12-31")
        #expect(notes[2].createdAt != nil)
        #expect(Set(notes.compactMap(\.externalID)).count == 3)
        #expect(reader.bytesRead == reader.totalBytes)
    }

    @Test func `what is not understood is kept as text with a warning, and the rest is read`() throws {
        let folder = try Folder()
        try folder.write("1 broken.md", "---\ntitle: [\n---\nx")
        try folder.write("2 endless.md", "---\ntitle: x\n")
        try folder.write("3 binary.md", Data([0xFF, 0xFE, 0x41, 0x00, 0x00]))
        try folder.write("4 empty.md", "")
        try folder.write("5 good.md", "good")
        let (notes, problems) = readAll(try NoteReader(path: folder.url.path))
        #expect(notes.map(\.content) == ["---\ntitle: [\n---\nx", "---\ntitle: x", "A\u{FFFD}", "good"])
        #expect(notes.map(\.warnings.count) == [1, 1, 1, 0])
        #expect(problems.map(\.isEmpty) == [true])
    }

    @Test func `JSONL is read by line, with the line of each fault`() throws {
        let folder = try Folder()
        try folder.write(
            "n.jsonl",
            """
            {"id": "x", "title": "T", "content": "C", "created_at": "2026-01-01", "note_type": "idea", "threads": ["a"]}

            {"id": 7, "text": "other names", "type": "task", "thread": "b", "tags": ["t"]}
            not json
            {"title": 5}
            {"title": "", "content": " "}
            {"content": "last, without an end of line \u{2028} é"}
            """)
        let (notes, problems) = readAll(try NoteReader(path: folder.url.appending(path: "n.jsonl").path))
        #expect(try NoteReader(path: folder.url.path).format == .jsonl)
        let place = try #require(notes[0].externalID?.dropLast(2))
        #expect(place.hasSuffix("/n.jsonl") && place.hasPrefix("/"))
        #expect(notes.map(\.externalID) == ["\(place)#x", "\(place)#7", nil, nil, nil])
        #expect(notes.map(\.formerIDs) == [["x"], ["7"], [], [], []])
        #expect(notes[1].noteType == "task")
        #expect(notes[1].threads == ["b"])
        #expect(notes[2].content == "not json" && notes[2].warnings.count == 1)
        #expect(notes[2].location.split(separator: ":").last == "4")
        #expect(notes[3].title == "5")
        #expect(notes[4].content.contains("\u{2028}"))
        #expect(problems.map { $0.location.split(separator: ":").last } == ["6"])
    }

    @Test func `a BEIR folder is known by its corpus`() throws {
        let folder = try Folder()
        try folder.write("corpus.jsonl", #"{"_id": "d1", "title": "T", "text": "x"}"# + "\n" + #"{"title": "no id"}"#)
        let reader = try NoteReader(path: folder.url.path)
        #expect(reader.format == .beir)
        let (notes, problems) = readAll(reader)
        #expect(notes.map { $0.externalID?.hasSuffix("/corpus.jsonl#d1") } == [true, nil])
        #expect(notes.map(\.warnings.count) == [0, 1])
        #expect(problems.isEmpty)
    }

    @Test(.slow) func `long lines are bounded and large files are read in pieces`() throws {
        let folder = try Folder()
        let long = #"{"content": ""# + String(repeating: "x", count: 9 << 20) + "\"}\n"
        let many = (0..<3000).map { #"{"content": "note \#($0) \#(String(repeating: "y", count: 200))"}"# }
        try folder.write("n.jsonl", many.joined(separator: "\n") + "\n" + long + #"{"content": "after"}"#)
        let (notes, problems) = readAll(try NoteReader(path: folder.url.path, format: .jsonl), batch: 100)
        #expect(notes.count == 3001)
        #expect(notes.last?.content == "after")
        #expect(problems.count == 1)
    }

    @Test func `nothing there, or nothing of the format, is an error`() throws {
        let folder = try Folder()
        #expect(throws: IngestError.self) { try NoteReader(path: folder.url.path + "/none") }
        #expect(throws: IngestError.self) { try NoteReader(path: folder.url.path) }
        #expect(throws: IngestError.self) { try NoteReader(path: folder.url.path, format: .beir) }
    }

    @Test(arguments: [IngestFormat.markdown, .jsonl, .beir])
    func `links that lead out of the folder are skipped and counted`(format: IngestFormat) throws {
        let (folder, outside) = (try Folder(), try Folder())
        let ending = format == .markdown ? "md" : "jsonl"
        let name = format == .beir ? "corpus" : "secret"
        let text = format == .markdown ? "secret" : #"{"_id":"1","title":"secret","content":"secret","text":"secret"}"#
        try outside.write("\(name).\(ending)", text)
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: folder.url.appending(path: "\(name).\(ending)"),
            withDestinationURL: outside.url.appending(path: "\(name).\(ending)"))
        let reader = try NoteReader(path: folder.url.path, format: format)
        let (notes, problems) = readAll(reader)
        #expect(notes.isEmpty && problems.isEmpty)
        #expect(reader.skippedLinks.map { URL(filePath: $0).lastPathComponent } == ["\(name).\(ending)"])
    }

    @Test func `links within the folder are followed, loops and pipes are not, and the folder may be a link`() throws {
        let (folder, other) = (try Folder(), try Folder())
        try folder.write("a.md", "inside")
        let manager = FileManager.default
        let sub = folder.url.appending(path: "sub")
        try manager.createDirectory(at: sub, withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: sub.path + "/link.md", withDestinationPath: "../a.md")
        try manager.createSymbolicLink(atPath: sub.path + "/loop.md", withDestinationPath: "loop.md")
        try manager.createSymbolicLink(atPath: sub.path + "/up", withDestinationPath: "..")
        #expect(mkfifo(sub.path + "/pipe.md", 0o600) == 0)
        let link = other.url.appending(path: "folder")
        try manager.createSymbolicLink(at: link, withDestinationURL: folder.url)
        for path in [folder.url.path, link.path] {
            let reader = try NoteReader(path: path)
            let (notes, problems) = readAll(reader)
            #expect(notes.map(\.content) == ["inside", "inside"] && problems.isEmpty, "\(path)")
            let skipped = reader.skippedLinks.map { URL(filePath: $0).lastPathComponent }
            #expect(skipped.sorted() == ["loop.md", "pipe.md"])
        }
    }
}
