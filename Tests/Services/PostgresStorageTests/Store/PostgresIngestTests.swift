import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Files that are ingested again while their notes change in PostgreSQL, as in a file.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresIngestTests {
    private func draft(_ content: String, _ name: String = "/vault/a.md", title: String = "Tide") -> NoteDraft {
        var draft = NoteDraft(title: title, content: content, createdAt: 86_400, externalID: name, source: "markdown")
        draft.formerIDs = ["vault/a.md"]
        draft.modifiedAt = 2_000_000_000
        draft.isFile = true
        return draft
    }

    private func texts(_ store: PostgresStore) async throws -> [String] {
        let rows = try await store.rows("SELECT content FROM notes ORDER BY id")
        return rows.indices.compactMap { rows.text($0, 0) }
    }

    private func edit(_ id: Int64, _ text: String, _ store: PostgresStore) async throws {
        var change = NoteChange()
        change.content = text
        #expect(try await store.notes.update(id, change, revision: nil))
    }

    @Test func `edits stay, conflicts keep both, deletions stay, and files that move keep their notes`() async throws {
        let stage = try await PostgresStage()
        let store = stage.store
        _ = try await store.notes.insert([draft("about 76 km")])
        try await edit(1, "about 99 km", store)
        #expect(try await store.notes.insert([draft("about 76 km")]).unchanged == 1)
        #expect(try await texts(store) == ["about 99 km"])
        let both = try await store.notes.insert([draft("about 80 km"), draft("other", "/vault/c.md", title: "c")])
        #expect(both.inserted == 2)
        #expect(both.remarks == [IngestRemark(.bothKept, name: "/vault/a.md", note: 1, other: 2)])
        #expect(try await texts(store) == ["about 99 km", "about 80 km", "other"])
        #expect(try await store.notes.insert([draft("about 81 km")]).updated == 1)
        #expect(try await store.notes.delete(3, revision: nil))
        let deleted = try await store.notes.insert([draft("other", "/vault/c.md", title: "c")])
        #expect(deleted.unchanged == 1 && deleted.remarks.map(\.kind) == [.deletedHere])
        let moved = try await store.notes.insert([draft("about 81 km", "/vault/b.md")])
        #expect(moved.unchanged == 1 && moved.remarks.map(\.kind) == [.moved])
        #expect(try await texts(store) == ["about 99 km", "about 81 km"])
        #expect(try await store.notes.ingested(beginningWith: "/vault/").map(\.name) == ["/vault/b.md"])
    }

    @Test func `a note without a hash is taken over when its text is the file's, and else never overwritten`()
        async throws
    {
        let stage = try await PostgresStage()
        let store = stage.store
        _ = try await store.notes.insert([
            NoteDraft(title: "Tide", content: "the tide is high at nine", externalID: "vault/a.md")
        ])
        _ = try await store.rows("SELECT 1")
        _ = try await store.write { try await $0.run("DELETE FROM note_ingests") }
        let kept = try await store.notes.insert([draft("the tide is high at eight")])
        #expect(kept.remarks.map(\.kind) == [.bothKept])
        #expect(try await texts(store) == ["the tide is high at nine", "the tide is high at eight"])
        #expect(try await store.notes.insert([draft("the tide is high at nine", "/work/a.md")]).unchanged == 1)
    }
}
