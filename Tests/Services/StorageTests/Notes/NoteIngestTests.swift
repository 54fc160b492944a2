import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import Testing

@testable import Storage

/// Files that are ingested again while their notes change in the gateway.
@Suite struct NoteIngestTests {
    private let file: TemporaryDatabase

    init() throws { file = try TemporaryDatabase() }

    private func draft(_ content: String, _ name: String = "/vault/a.md", title: String = "Tide") -> NoteDraft {
        var draft = NoteDraft(title: title, content: content, createdAt: 86_400, externalID: name, source: "markdown")
        draft.formerIDs = ["vault/a.md"]
        draft.modifiedAt = 2_000_000_000
        draft.isFile = true
        return draft
    }

    private func texts(_ database: GatewayDatabase) async throws -> [String] {
        try await database.notes.page(after: nil, limit: 100).items.sorted { $0.id < $1.id }.map(\.content)
    }

    private func edit(_ id: Int64, _ text: String, _ database: GatewayDatabase) async throws {
        var change = NoteChange()
        change.content = text
        #expect(try await database.notes.update(id, change))
    }

    @Test func `an edit stays when the file did not change, and both are kept when it did`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("about 76 km")])
        try await edit(1, "about 99 km", database)
        var again = draft("about 76 km")
        // A file that was only touched did not change.
        (again.isDateGuessed, again.createdAt) = (false, 86_400)
        #expect(try await database.notes.insert([again]).unchanged == 1)
        #expect(try await texts(database) == ["about 99 km"])
        let outcome = try await database.notes.insert([draft("about 80 km")])
        #expect(outcome.inserted == 1)
        #expect(outcome.remarks == [IngestRemark(.bothKept, name: "/vault/a.md", note: 1, other: 2)])
        #expect(try await texts(database) == ["about 99 km", "about 80 km"])
        // From now on the second note follows the file.
        #expect(try await database.notes.insert([draft("about 80 km")]).unchanged == 1)
        #expect(try await database.notes.insert([draft("about 81 km")]).updated == 1)
        #expect(try await texts(database) == ["about 99 km", "about 81 km"])
        try database.close()
    }

    private func upload(_ content: String, _ name: String, title: String = "Tide") -> NoteDraft {
        var draft = draft(content, "upload:" + name, title: title)
        (draft.formerIDs, draft.isUpload) = ([], true)
        return draft
    }

    @Test func `a file that was sent makes no copy, and never overwrites one of another folder`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("high water at noon")])
        // The folder was ingested before.
        #expect(try await database.notes.insert([upload("high water at noon", "vault/a.md")]).unchanged == 1)
        #expect(try await database.notes.insert([upload("high water at noon", "vault/a.md")]).unchanged == 1)
        // Two sources have the note: a change of one makes another note.
        #expect(try await database.notes.insert([upload("high water at ten", "vault/a.md")]).inserted == 1)
        #expect(try await database.notes.insert([upload("high water at ten, low at four", "vault/a.md")]).updated == 1)
        #expect(try await texts(database) == ["high water at noon", "high water at ten, low at four"])
        // A file of that path from another folder, then the first one again.
        let bread = upload("flour salt yeast", "vault/a.md", title: "Bread")
        #expect(try await database.notes.insert([bread]).inserted == 1)
        let first = upload("high water at ten, low at four", "vault/a.md")
        for draft in [first, first, bread] {
            #expect(try await database.notes.insert([draft]).unchanged == 1)
        }
        #expect(try await texts(database).count == 3)
        try database.close()
    }

    @Test func `an edit of a note that was sent stays, and so does its deletion`() async throws {
        let database = try file.open()
        let draft = upload("about 76 km", "vault/a.md")
        _ = try await database.notes.insert([draft])
        try await edit(1, "about 99 km", database)
        #expect(try await database.notes.insert([draft]).unchanged == 1)
        let both = try await database.notes.insert([upload("about 80 km", "vault/a.md")])
        #expect(both.remarks.map(\.kind) == [.bothKept] && both.inserted == 1)
        #expect(try await database.notes.delete(2))
        let gone = try await database.notes.insert([upload("about 80 km", "vault/a.md")])
        #expect(gone.remarks.map(\.kind) == [.deletedHere] && gone.inserted == 0)
        #expect(try await texts(database) == ["about 99 km"])
        try database.close()
    }

    @Test func `the same edit on both sides is one note, and tags and dates are edits too`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one")])
        try await edit(1, "two", database)
        let same = try await database.notes.insert([draft("two")])
        #expect(same.unchanged == 1 && same.remarks.isEmpty)
        #expect(try await database.notes.insert([draft("three")]).updated == 1)
        var change = NoteChange()
        change.tags = ["mine"]
        _ = try await database.notes.update(1, change)
        #expect(try await database.notes.insert([draft("four")]).remarks.map(\.kind) == [.bothKept])
        #expect(try await texts(database) == ["three", "four"])
        try database.close()
    }

    @Test func `tags that a person added stay, also when both sides have the same new text`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one")])
        var change = NoteChange()
        (change.tags, change.content) = (["mine"], "two")
        #expect(try await database.notes.update(1, change))
        #expect(try await database.notes.insert([draft("two")]).remarks.map(\.kind) == [.tagsKept])
        #expect(try await database.notes.find(ids: [1]).map(\.tags) == [["mine"]])
        #expect(try await database.notes.insert([draft("three")]).remarks.map(\.kind) == [.bothKept])
        // As an earlier version stored it: without hashes.
        try await database.write { try $0.execute(sql: "DELETE FROM gateway_note_ingests") }
        change.content = "three"
        #expect(try await database.notes.update(2, change))
        var again = draft("three")
        again.tags = ["file"]
        #expect(try await database.notes.insert([again]).remarks.map(\.kind) == [.tagsKept])
        #expect(try await database.notes.find(ids: [2]).map(\.tags) == [["mine"]])
        again.tags = ["file", "mine"]
        #expect(try await database.notes.insert([again]).remarks.map(\.kind) == [.tagsKept])
        #expect(try await database.notes.find(ids: [2]).map(\.tags) == [["mine"]])
        try database.close()
    }

    @Test func `the lines of a moved export keep their notes, and those of a file that is there are others`()
        async throws
    {
        let database = try file.open()
        let there = file.path + "#x.jsonl"
        try Data("{}".utf8).write(to: URL(filePath: there))
        func line(_ path: String, _ number: Int) -> NoteDraft {
            NoteDraft(title: "line", content: "a text, \(number)", createdAt: 86_400, externalID: "\(path)#\(number)")
        }
        #expect(!IngestStep.isGone(there + "#1") && !IngestStep.isGone(there) && IngestStep.isGone("/no/x.jsonl#1"))
        #expect(IngestStep.isGone(NSTemporaryDirectory() + "#1"))
        #expect(try await database.notes.insert([line(there, 1), line("/no/a.jsonl", 2)]).inserted == 2)
        let moved = try await database.notes.insert([line("/no/b.jsonl", 1), line("/no/b.jsonl", 2)])
        #expect(moved.inserted == 1 && moved.unchanged == 1 && moved.remarks.isEmpty)
        #expect(try await texts(database) == ["a text, 1", "a text, 2", "a text, 1"])
        #expect(try await database.notes.byExternalID()["/no/b.jsonl#2"] == 2)
        // A deleted note stays deleted, and one with another title keeps following, wherever its source moves.
        #expect(try await database.notes.delete(2))
        let gone = try await database.notes.insert([line("/no/c.jsonl", 2)])
        #expect(gone.inserted == 0 && gone.remarks.map(\.kind) == [.deletedHere])
        var change = NoteChange()
        change.title = "mine"
        #expect(try await database.notes.update(3, change))
        #expect(try await database.notes.insert([line("/no/d.jsonl", 1)]).unchanged == 1)
        #expect(try await database.notes.find(ids: [3]).map(\.title) == ["mine"])
        try database.close()
    }

    @Test func `a note that was deleted comes back only when its file changes`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one")])
        #expect(try await database.notes.delete(1))
        let outcome = try await database.notes.insert([draft("one")])
        #expect(outcome.unchanged == 1 && outcome.remarks.map(\.kind) == [.deletedHere])
        #expect(try await texts(database).isEmpty)
        #expect(try await database.notes.insert([draft("two")]).inserted == 1)
        try database.close()
    }

    @Test func `a renamed file keeps its note, with the edit that it has`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("a text of some words", title: "a")])
        try await edit(1, "an edited text of some words", database)
        let moved = try await database.notes.insert([draft("a text of some words", "/vault/b.md", title: "b")])
        #expect(moved.unchanged == 1 && moved.remarks.map(\.kind) == [.moved])
        #expect(try await texts(database) == ["an edited text of some words"])
        #expect(try await database.notes.byExternalID() == ["/vault/b.md": 1])
        #expect(
            try await database.notes.insert([draft("a new text", "/vault/b.md")]).remarks.map(\.kind) == [.bothKept])
        try database.close()
    }

    @Test(arguments: [
        (
            content: "the tide is high at eight", edited: "the tide is high at nine", isOld: true,
            kind: IngestRemark.Kind.editKept
        ),
        (content: "the tide is high at eight", edited: "the tide is high at nine", isOld: false, kind: .replaced),
    ])
    func `a note without a hash is kept if its file is older, else replaced with its text in the history`(
        content: String, edited: String, isOld: Bool, kind: IngestRemark.Kind
    ) async throws {
        let database = try file.open()
        // As an earlier version stored it.
        _ = try await database.notes.insert([NoteDraft(title: "Tide", content: edited, externalID: "vault/a.md")])
        try await database.write { try $0.execute(sql: "DELETE FROM gateway_note_ingests") }
        var draft = draft(content)
        if isOld { draft.modifiedAt = 1_000_000 }
        let outcome = try await database.notes.insert([draft])
        #expect(outcome.remarks.map(\.kind) == [kind] && outcome.inserted == 0)
        #expect(try await texts(database) == [isOld ? edited : content])
        #expect(try await database.noteHistory.versions(of: 1).count == (isOld ? 0 : 1))
        #expect(try await database.notes.byExternalID() == ["/vault/a.md": 1])
        #expect(try await database.notes.insert([draft]).unchanged == 1)
        #expect(try await texts(database) == [isOld ? edited : content])
        try database.close()
    }

    @Test func `an older name of another folder's file is not taken over`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([
            NoteDraft(title: "Work", content: "walrus at work", externalID: "vault/a.md")
        ])
        try await database.write { try $0.execute(sql: "DELETE FROM gateway_note_ingests") }
        #expect(try await database.notes.insert([draft("penguin at home", title: "Home")]).inserted == 1)
        #expect(try await database.notes.insert([draft("walrus at work", "/work/a.md", title: "Work")]).unchanged == 1)
        #expect(try await texts(database) == ["walrus at work", "penguin at home"])
        try database.close()
    }

    @Test(arguments: [ExportClaim.Evidence.none, .unedited, .edited])
    func `an export that comes back is its note, if this database exported it`(evidence: ExportClaim.Evidence)
        async throws
    {
        let database = try file.open()
        _ = try await database.notes.create(NoteDraft(title: "Tide", content: "one\n"))
        var draft = draft("one", "/export/1.md")
        draft.export = ExportClaim(note: 1, evidence: evidence)
        #expect(try await database.notes.insert([draft]).unchanged == 1)
        draft.content = "two"
        let outcome = try await database.notes.insert([draft])
        // A file that was taken for the export follows its note; a foreign one is a note of its own.
        #expect(outcome.updated == (evidence == .none ? 0 : 1) && outcome.inserted == (evidence == .none ? 1 : 0))
        #expect(try await texts(database) == (evidence == .none ? ["one\n", "two"] : ["two"]))
        #expect(outcome.remarks.map(\.kind) == (evidence == .none ? [.foreignExport] : []))
        draft.externalID = "/export/2.md"
        draft.content = "three"
        let edited = try await database.notes.insert([draft])
        #expect(
            edited.remarks.map(\.kind) == [[.none: .foreignExport, .edited: .bothKept][evidence]].compactMap { $0 })
        draft.export = ExportClaim(note: 99, evidence: .none)
        draft.externalID = "/export/3.md"
        #expect(try await database.notes.insert([draft]).inserted == 1)
        try database.close()
    }

    @Test func `text after U+0000 is stored`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("before\0after")])
        #expect(try await texts(database) == ["before\u{FFFD}after"])
        try database.close()
    }
}
