import Folders
import Foundation
import GatewayAPI
import SourceRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import NoteSources

/// Notes follow the files of a folder, in a file and in PostgreSQL.
@Suite(.serialized) struct FolderLookTests {
    private static let texts = ["walrus lives here", "penguin lives here", "ostrich lives here"]

    private func filled(_ place: NotesPlace) async throws -> SourceStage? {
        guard let stage = try await SourceStage(place) else { return nil }
        for (name, text) in zip(["a.md", "b.md", "sub/c.md"], Self.texts) { try stage.folder.write(name, text) }
        let outcome = try await stage.lookAtAll()
        #expect(outcome.stored.inserted == 3 && outcome.files == 3 && outcome.problems.isEmpty)
        return stage
    }

    @Test(arguments: NotesPlace.allCases)
    func `new, changed and unchanged files`(_ place: NotesPlace) async throws {
        guard let stage = try await filled(place) else { return }
        let again = try await stage.lookAtAll()
        #expect(again.read == 0 && again.stored == InsertOutcome())
        let id = try await stage.id(Self.texts[0])
        try stage.folder.write("a.md", "walrus lives there now")
        try stage.folder.write("d.md", "newcomer")
        let outcome = try await stage.look(at: "a.md", "d.md", "sub")
        #expect(outcome.stored.inserted == 1 && outcome.stored.updated == 1 && outcome.read == 2)
        #expect(try await stage.id("walrus lives there now") == id)
        #expect(try await stage.notes == stage.expected)
        let details = try await stage.service.details("vault")
        #expect(details.source.files == 4 && details.source.state == .following && details.problems.isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `renamed and moved files keep their notes, also folders and other spellings`(_ place: NotesPlace) async throws
    {
        guard let stage = try await filled(place) else { return }
        let ids = [try await stage.id(Self.texts[0]), try await stage.id(Self.texts[2])]
        try stage.move("a.md", "A.md")
        try stage.move("sub", "elsewhere/deep")
        #expect(try await stage.look(at: "a.md", "A.md", "sub", "elsewhere").removed == 0)
        try stage.move("b.md", "cafe\u{301}.md")
        try await stage.lookAtAll()
        try stage.move("cafe\u{301}.md", "caf\u{E9}.md")
        let outcome = try await stage.lookAtAll()
        #expect(outcome.removed == 0 && outcome.stored.inserted == 0)
        #expect([try await stage.id(Self.texts[0]), try await stage.id(Self.texts[2])] == ids)
        #expect(try await stage.notes == stage.expected)
        #expect(try await stage.service.details("vault").source.removed == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `two spellings of a name are two notes`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        for (name, text) in [("caf\u{E9}.md", Self.texts[0]), ("cafe\u{301}.md", Self.texts[1])] {
            #expect(
                FileManager.default.createFile(atPath: stage.folder.url.path + "/" + name, contents: Data(text.utf8)))
        }
        guard try await stage.lookAtAll().files == 2 else { return }
        #expect(try await stage.all.map(\.content).sorted() == [Self.texts[1], Self.texts[0]].sorted())
        try Data("walrus is gone".utf8).write(to: URL(filePath: stage.folder.url.path + "/caf\u{E9}.md"))
        let outcome = try await stage.lookAtAll()
        #expect(outcome.stored.updated == 1 && outcome.stored.inserted == 0)
        #expect(try await stage.all.map(\.content).sorted() == [Self.texts[1], "walrus is gone"])
    }

    @Test(arguments: NotesPlace.allCases)
    func `the note of a removed file comes back with its file, at its path or another`(_ place: NotesPlace) async throws
    {
        guard let stage = try await filled(place) else { return }
        let ids = [try await stage.id(Self.texts[0]), try await stage.id(Self.texts[1])]
        try stage.remove("a.md")
        try stage.remove("b.md")
        let gone = try await stage.lookAtAll()
        #expect(gone.removed == 2 && gone.missing == 0)
        #expect(try await stage.notes == stage.expected)
        #expect(try await stage.service.details("vault").source.removed == 2)
        #expect(try await stage.stage.store.noteHistory.deletedNotes(after: nil, limit: 9).items.count == 2)
        try stage.folder.write("a.md", "walrus came back changed")
        try stage.folder.write("new/b2.md", Self.texts[1])
        let back = try await stage.lookAtAll()
        // The title of the second is its file's name.
        #expect(back.restored == 2 && back.stored.inserted == 0 && back.stored.updated == 2)
        #expect([try await stage.id("walrus came back changed"), try await stage.id(Self.texts[1])] == ids)
        #expect(try await stage.notes == stage.expected)
        #expect(try await stage.service.details("vault").source.removed == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `an emptied file loses its note until it has a text again`(_ place: NotesPlace) async throws {
        guard let stage = try await filled(place) else { return }
        let id = try await stage.id(Self.texts[0])
        try stage.folder.write("a.md", "")
        #expect(try await stage.lookAtAll().removed == 1)
        #expect(try await stage.lookAtAll().read == 0)
        let details = try await stage.service.details("vault")
        #expect(details.problems == [.init(path: "a.md", reason: "is empty")] && details.source.unread == 1)
        try stage.folder.write("a.md", "walrus speaks")
        #expect(try await stage.lookAtAll().restored == 1)
        #expect(try await stage.id("walrus speaks") == id)
        #expect(try await stage.notes == stage.expected)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a note that was edited or deleted here is never removed, overwritten or brought back`(_ place: NotesPlace)
        async throws
    {
        guard let stage = try await filled(place) else { return }
        let notes = stage.stage.store.notes
        let ids = try [
            #require(try await stage.id(Self.texts[0])), #require(try await stage.id(Self.texts[1])),
            #require(try await stage.id(Self.texts[2])),
        ]
        var change = NoteChange()
        change.content = "mine"
        #expect(try await notes.update(ids[0], change, revision: nil))
        change.content = "mine, too"
        #expect(try await notes.update(ids[1], change, revision: nil))
        #expect(try await notes.delete(ids[2], revision: nil))
        try stage.folder.write("a.md", "walrus changed, too")
        try stage.remove("b.md")
        try stage.move("sub/c.md", "elsewhere/c.md")
        let outcome = try await stage.lookAtAll()
        #expect(outcome.edited.count == 1 && outcome.removed == 0)
        #expect(outcome.stored.remarks.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.bothKept, .deletedHere])
        #expect(try await stage.all.map(\.content).sorted() == ["mine", "mine, too", "walrus changed, too"])
        #expect(try await stage.lookAtAll().read == 0)
        #expect(try await stage.all.count == 3)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a source that lacks more than a fifth asks, until the files are back or a person says that they are gone`(
        _ place: NotesPlace
    ) async throws {
        guard let stage = try await SourceStage(place) else { return }
        for number in 0..<20 { try stage.folder.write("n/\(number).md", "note of number \(number)") }
        try await stage.lookAtAll()
        // One after another, too.
        for number in 0..<4 {
            try stage.remove("n/\(number).md")
            #expect(try await stage.look(at: "n/\(number).md").removed == 1)
        }
        try stage.move("n", "../away-\(stage.folder.url.lastPathComponent)")
        let away = stage.folder.url.deletingLastPathComponent().path + "/away-" + stage.folder.url.lastPathComponent
        defer { try? FileManager.default.removeItem(atPath: away) }
        #expect(try await stage.look(at: "n").missing == 16)
        #expect(try await stage.source.source.state == .asking)
        #expect(try await stage.all.count == 16)
        // New files are read all the same.
        try stage.folder.write("new.md", "a new one")
        #expect(try await stage.lookAtAll().stored.inserted == 1)
        #expect(try await stage.source.source.state == .asking)
        try FileManager.default.moveItem(atPath: away, toPath: stage.folder.url.path + "/n")
        #expect(try await stage.lookAtAll().missing == 0)
        #expect(try await stage.source.source.state == .following)
        try stage.remove("n")
        try await stage.lookAtAll()
        try await stage.service.change("vault", SourceChange(acceptMissing: true))
        #expect(try await stage.lookAtAll().removed == 16)
        let source = try await stage.source
        #expect(source.source.state == .following && !source.acceptsMissing)
        #expect(try await stage.notes == ["new.md: a new one"])
    }

    @Test(arguments: NotesPlace.allCases)
    func `nothing is removed while the folder, or one within, cannot be read`(_ place: NotesPlace) async throws {
        guard let stage = try await filled(place) else { return }
        let path = stage.folder.url.path
        try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
        await #expect(throws: FolderFault.self) { try await stage.lookAtAll() }
        let source = try await stage.source.source
        #expect(source.state == .away && source.message != nil)
        #expect(try await stage.all.count == 3)
        try FileManager.default.moveItem(atPath: path + "-away", toPath: path)
        #expect(try await stage.lookAtAll().read == 0)
        #expect(try await stage.source.source.state == .following)
        // The rule alone: a test may run as root, who reads all folders.
        let known = try await stage.stage.store.sources.files(of: stage.source.id, within: [""])
        var listing = FolderWalk.Listing()
        listing.faults = [(FilePath("sub"), "is a folder that cannot be read")]
        #expect(FolderDifference(listing, known, now: .max).gone.map(\.path) == ["a.md", "b.md"])
    }

    @Test(arguments: NotesPlace.allCases)
    func `patterns leave files out, also those that were read before`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place, ignore: ["b.md"]) else { return }
        for name in ["a.md", "b.md", "c/x.md"] { try stage.folder.write(name, "text of \(name)") }
        #expect(try await stage.lookAtAll().stored.inserted == 2)
        try stage.folder.write(SourceLook.ignoreFile, "# mine\nc/\n")
        #expect(try await stage.lookAtAll().removed == 1)
        #expect(try await stage.notes == ["a.md: text of a.md"])
        try stage.remove(SourceLook.ignoreFile)
        #expect(try await stage.lookAtAll().restored == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a stop between two steps of a removal is made good by the next look`(_ place: NotesPlace) async throws {
        guard let stage = try await filled(place) else { return }
        let (store, room, source) = (stage.stage.store, stage.stage.store.sources, try await stage.source)
        let root = try #require(source.source.path)
        let id = try #require(try await stage.id(Self.texts[0]))
        // After the row says that the note is going, before the note went: the file is gone, or came back.
        for comesBack in [false, true] {
            var row = try #require(try await room.files(of: source.id, within: ["a.md"]).first)
            (row.state, row.note) = (.going, id)
            try await room.keep([row], of: source.id)
            if !comesBack { try stage.remove("a.md") }
            #expect(try await stage.lookAtAll().removed == (comesBack ? 0 : 1))
            #expect(try await stage.notes == stage.expected)
            try stage.folder.write("a.md", Self.texts[0])
            try await stage.lookAtAll()
            #expect(try await stage.id(Self.texts[0]) == id)
        }
        // After the note went, before the row says so.
        for comesBack in [false, true] {
            var row = try #require(try await room.files(of: source.id, within: ["a.md"]).first)
            (row.state, row.note) = (.going, id)
            try await room.keep([row], of: source.id)
            #expect(try await store.notes.removeIngested([root + "/a.md"]).map(\.outcome) == [.removed])
            if !comesBack { try stage.remove("a.md") }
            try await stage.lookAtAll()
            #expect(try await stage.notes == stage.expected)
            try stage.folder.write("a.md", Self.texts[0])
            try await stage.lookAtAll()
            #expect(try await stage.id(Self.texts[0]) == id)
        }
        // After a file was stored, before its row was: it is read again, and nothing changes.
        try await room.forget(["b.md"], of: source.id)
        let outcome = try await stage.lookAtAll()
        #expect(outcome.read == 1 && outcome.stored.inserted == 0 && outcome.stored.updated == 0)
        #expect(try await stage.notes == stage.expected)
    }

    @Test func `files that may still be written are left for later`() async throws {
        guard let stage = try await SourceStage(.file) else { return }
        try stage.folder.write("a.md", Self.texts[0])
        let sign = try #require(FileSign(of: stage.folder.path("a.md")))
        func look(after nanoseconds: Int64) async throws -> LookOutcome {
            try await SourceLook(
                store: stage.stage.store, claims: { $0 }, now: { sign.changed + nanoseconds }
            ).all(try await stage.source)
        }
        let early = try await look(after: FolderLook.settleTime - 1)
        #expect(early.unsettled == [FilePath("a.md")] && early.read == 0)
        #expect(try await look(after: FolderLook.settleTime).read == 1)
        // The clock of another machine may be ahead.
        try stage.folder.write("a.md", Self.texts[1])
        let ahead = try #require(FileSign(of: stage.folder.path("a.md")))
        let outcome = try await SourceLook(
            store: stage.stage.store, claims: { $0 }, now: { ahead.changed - 1 }
        ).all(try await stage.source)
        #expect(outcome.read == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `notes that were ingested before keep their ids`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        for (name, text) in zip(["a.md", "b.md", "sub/c.md"], Self.texts) { try stage.folder.write(name, text) }
        let reader = try NoteFileReader(path: stage.folder.url.path, format: nil)
        let tally = try await NoteFileIngest(notes: stage.stage.store.notes, claims: { $0 }).run(reader)
        #expect(tally.outcome.inserted == 3)
        let ids = try await stage.all.map(\.id).sorted()
        #expect(try await stage.lookAtAll().stored.unchanged == 3)
        #expect(try await stage.all.map(\.id).sorted() == ids)
        try stage.remove("b.md")
        #expect(try await stage.lookAtAll().removed == 1)
    }
}
