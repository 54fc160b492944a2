import Foundation
import GatewayAPI
import SourceRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import NoteSources

@Suite(.serialized) struct SourceServiceTests {
    private func message(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.message ?? "\(error)"
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `names, paths, formats and folders within others are checked`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        try stage.folder.write("inner/a.md", "a")
        let service = stage.service
        func refusal(_ new: NewSource) async -> String? { await message { _ = try await service.add(new) } }
        for name in ["", "a b", "ä", "../x", ".x", "-x", String(repeating: "x", count: 65)] {
            #expect(await refusal(NewSource(name: name))?.hasPrefix("field \"name\"") == true, "\(name)")
        }
        #expect(await refusal(NewSource(name: "vault"))?.contains("already") == true)
        #expect(await refusal(NewSource(name: "x", path: "relative"))?.hasPrefix("field \"path\"") == true)
        #expect(await refusal(NewSource(name: "x", path: "/"))?.contains("whole machine") == true)
        #expect(await refusal(NewSource(name: "x", path: "/nowhere/at/all"))?.hasPrefix("field \"path\"") == true)
        #expect(
            await refusal(NewSource(name: "x", path: "/tmp", format: "docx"))?.hasPrefix("field \"format\"") == true)
        #expect(await refusal(NewSource(name: "x", path: stage.folder.path("inner")))?.contains("within") == true)
        #expect(
            await refusal(NewSource(name: "x", path: stage.folder.url.deletingLastPathComponent().path))?.contains(
                "within")
                == true)
        #expect(await refusal(NewSource(name: "x", format: "jsonl"))?.contains("without a path") == true)
        #expect(await refusal(NewSource(name: "x", ignore: [])) == nil)
        #expect(try await service.all().map(\.name) == ["vault", "x"])
        #expect(await message { _ = try await service.find("y") }?.contains("no source y") == true)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a file of another format is read again when it changes`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        let other = try TemporaryFolder()
        try other.write("x.jsonl", #"{"id":"1","title":"one","content":"walrus"}"# + "\n")
        #expect(try await stage.service.add(NewSource(name: "lines", path: other.path("x.jsonl"))).kind == .file)
        let added = try await stage.service.find("lines")
        #expect(try await stage.look.all(added).stored.inserted == 1)
        #expect(try await stage.look.all(added).read == 0)
        try other.write(
            "x.jsonl",
            #"{"id":"1","title":"one","content":"penguin"}"# + "\n" + #"{"id":"2","title":"two","content":"ostrich"}"#
                + "\n")
        let outcome = try await stage.look.all(added)
        #expect(outcome.stored.inserted == 1 && outcome.stored.updated == 1)
        #expect(try await stage.service.remove("lines", keepsNotes: false) == 2)
    }

    @Test(arguments: NotesPlace.allCases)
    func `notes that scripts send are stored once, updated, and kept beside edits`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        let (service, store) = (stage.service, stage.stage.store)
        _ = try await service.add(NewSource(name: "tracker"))
        func draft(_ id: String, _ text: String) -> NoteDraft {
            NoteDraft(title: "t", content: text, threads: [], tags: ["x"], externalID: id, source: "script")
        }
        #expect(try await service.take([draft("1", "walrus"), draft("2", "penguin")], for: "tracker").inserted == 2)
        #expect(try await service.take([draft("1", "walrus"), draft("2", "ostrich")], for: "tracker").updated == 1)
        let note = try #require(try await stage.id("walrus"))
        var change = NoteChange()
        change.content = "mine"
        #expect(try await store.notes.update(note, change, revision: nil))
        let outcome = try await service.take([draft("1", "walrus again")], for: "tracker")
        #expect(outcome.remarks.map(\.kind) == [.bothKept])
        #expect(try await stage.all.map(\.content).sorted() == ["mine", "ostrich", "walrus again"])
        #expect(
            await message { _ = try await service.take([draft("1", "x")], for: "vault") }?.contains("follows files")
                == true)
        #expect(try await service.remove("tracker", keepsNotes: false) == 2)
        #expect(try await stage.all.map(\.content) == ["mine"])
    }

    @Test(arguments: NotesPlace.allCases)
    func `a removed source keeps or removes its notes, and may be added again`(_ place: NotesPlace) async throws {
        guard let stage = try await SourceStage(place) else { return }
        try stage.folder.write("a.md", "walrus")
        try stage.folder.write("b.md", "penguin")
        try await stage.lookAtAll()
        #expect(try await stage.service.remove("vault", keepsNotes: true) == 0)
        #expect(try await stage.all.count == 2)
        _ = try await stage.service.add(NewSource(name: "vault", path: stage.folder.url.path))
        #expect(try await stage.lookAtAll().stored.unchanged == 2)
        #expect(try await stage.service.remove("vault", keepsNotes: false) == 2)
        #expect(try await stage.all.isEmpty)
        _ = try await stage.service.add(NewSource(name: "vault", path: stage.folder.url.path))
        #expect(try await stage.lookAtAll().stored.inserted == 2)
    }
}
