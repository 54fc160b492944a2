import Foundation
import Retrieval
import Storage
import Testing

@testable import Search

/// Indexes that are built into a file part by part, against those held in memory.
@Suite struct IndexFileBuilds {
    private func filled(_ count: Int) async throws -> NotesFile {
        let file = try NotesFile()
        _ = try await file.database.notes.insert(
            (1...count).map {
                NoteDraft(
                    title: "note \($0)", content: "tide n\($0)n", noteType: $0 % 3 == 0 ? "task" : "idea",
                    threads: $0 % 5 == 0 ? ["shore"] : [], tags: $0 % 7 == 0 ? ["sea"] : [], externalID: "\($0)")
            })
        return file
    }

    private func follower(_ file: NotesFile, folder: String? = nil, from notes: Int) -> IndexFollower {
        IndexFollower(
            notes: file.database.changes, indexFolder: folder,
            builder: IndexBuilder(notes: file.database.changes, logger: NotesFile.logger, notesWorthParts: notes),
            logger: NotesFile.logger)
    }

    @Test func `many notes are built into a file, which answers as memory does`() async throws {
        let file = try await filled(900)
        let folder = file.folder.appending(path: "index").path
        let built = follower(file, folder: folder, from: 900)
        let memory = follower(file, from: .max)
        for word in ["tide", "n7n", "n890n", "none"] {
            for tags in [[], ["sea"]] as [Set<String>] {
                #expect(try await built.current().ids(word, tags: tags) == memory.current().ids(word, tags: tags))
            }
        }
        #expect(try await built.current().index.statistics.documentsBeyondFile == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "keywords.index", "keywords.index.lock",
            ])
        try file.write("UPDATE raw_notes SET content = 'otter' WHERE id = 3", "DELETE FROM raw_notes WHERE id = 4")
        try file.insert(901, "heron")
        #expect(try await built.current().ids("otter") == [3])
        #expect(try await built.current().ids("n4n") == [])
        #expect(try await built.current().ids("heron") == [901])
        // Few notes stay in memory until the file is worth it.
        let other = file.folder.appending(path: "other").path
        _ = try await follower(file, folder: other, from: 902).current()
        #expect(!FileManager.default.fileExists(atPath: other + "/keywords.index"))
    }

    @Test func `an unfinished file is continued, and what changed since then is applied`() async throws {
        let file = try await filled(300)
        let folder = file.folder.appending(path: "index").path
        let files = IndexFiles(folder: folder, notes: file.database.changes)
        let begin = try await file.database.changes.changeState().cursor
        let source = try await files.source(of: nil, at: begin)
        do {
            let construction = try #require(
                try IndexConstruction(path: files.path(for: nil), dimensions: nil, source: source))
            var update = IndexUpdate()
            // Not what the database has: whether the part is used is seen by it.
            update.documents = (1...100).map { RetrievalDocument(id: $0, title: "", text: "part n\($0)n") }
            try construction.add(update, cursor: begin.position)
            try construction.endPart(cursor: begin.position)
        }
        try file.write("UPDATE raw_notes SET content = 'otter' WHERE id = 3", "DELETE FROM raw_notes WHERE id = 4")
        let live = try await follower(file, folder: folder, from: 1).complete()
        #expect(try await live.ids("part").count == 98)
        #expect(try await live.ids("n300n") == [300])
        #expect(try await follower(file, folder: folder, from: 1).current().ids("otter") == [3])
        #expect(try await follower(file, folder: folder, from: 1).current().ids("n4n") == [])
    }

    @Test func `notes are read in ranges of ids`() async throws {
        let file = try await filled(50)
        try file.write("DELETE FROM raw_notes WHERE id BETWEEN 10 AND 30")
        for limit in [1, 7, 100] {
            let found = Found()
            var last: Int64?
            while let next = try await file.database.changes.read(
                after: last, limit: limit, in: nil, batchSize: 3, { found.add($0) })
            {
                #expect(next > last ?? .min)
                last = next
            }
            let all = Found()
            _ = try await file.database.changes.readAll(in: nil) { all.add($0) }
            #expect(found.notes == all.notes)
            #expect(found.notes.count == 29)
        }
        #expect(try await file.database.changes.read(after: .max, limit: 5, in: nil) { _ in } == nil)
        #expect(try await file.database.changes.hasNotes(atLeast: 29))
        #expect(try await !file.database.changes.hasNotes(atLeast: 30))
    }
}

/// SAFETY: SQLite's queue calls one batch after another, and the test waits for it.
private final class Found: @unchecked Sendable {
    private(set) var notes: [IndexedNote] = []

    func add(_ batch: [IndexedNote]) { notes += batch }
}
