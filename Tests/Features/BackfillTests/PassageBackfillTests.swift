import FakeOllama
import Foundation
import Storage
import TestSupport
import Testing

@testable import Backfill
@testable import Text

@Suite struct PassageBackfilling {
    /// A note of about ten passages that differ.
    static let long = (0..<220).map { "Sentence number \($0) of a long note speaks of tide \($0 * 7 % 31). " }.joined()

    func drafts(_ contents: [String]) -> [NoteDraft] {
        contents.enumerated().map {
            NoteDraft(title: "note \($0.offset)", content: $0.element, externalID: "\($0.offset)")
        }
    }

    @Test(.slow, arguments: [1, 3]) func `a long note gets a vector for each passage`(concurrency: Int) async throws {
        let setting = try await NotesWithOllama(drafts(["short", Self.long, "brief", Self.long + "End.", "last"]))
        let reports = Collected<BackfillProgress>()
        let summary = try await setting.service(batch: 4, concurrency: concurrency).run { reports.add($0) }
        #expect(summary.embedded == 5)
        #expect(summary.total == 5)
        #expect(summary.space.space.chunkerVersion == 1)
        #expect(reports.all.last == BackfillProgress(done: 5, total: 5, failed: 0))
        // Calls keep to the batch, although the long notes have more passages.
        #expect(setting.fake.statistics.embedBatches.allSatisfy { $0 <= 4 })
        let hashed = HashedEmbedding(dimensions: 384)
        let notes = try await setting.notes(in: summary.space)
        #expect(notes.count == 5)
        for note in notes {
            let texts = Chunker.passages(title: note.title, content: note.content).map(\.text)
            #expect(note.passages == texts.count)
            #expect(note.vectors == texts.flatMap { hashed.vector(for: "search_document: " + $0) })
        }
        #expect(notes.map(\.passages).max().map { $0 > 8 } == true)
        await setting.end()
    }

    @Test func `an edit that shortens a note leaves one vector`() async throws {
        let setting = try await NotesWithOllama(drafts([Self.long, Self.long]))
        let space = try await setting.service().run { _ in }.space
        _ = try await setting.database.notes.insert([NoteDraft(title: "note 0", content: "short now", externalID: "0")])
        #expect(try await setting.service().run { _ in }.embedded == 1)
        let notes = try await setting.notes(in: space)
        #expect(notes[0].passages == 1)
        #expect(notes[0].vectors == HashedEmbedding(dimensions: 384).vector(for: "search_document: note 0\nshort now"))
        #expect(notes[1].passages > 8)
        await setting.end()
    }

    @Test(.slow, arguments: [3, 100]) func `a passage that is refused fails its note alone`(batch: Int) async throws {
        let bad = Self.long + "UNEMBEDDABLE. " + Self.long
        let setting = try await NotesWithOllama(drafts(["a", Self.long, bad, "b", Self.long]))
        let summary = try await setting.service(batch: batch).run { _ in }
        #expect(summary.embedded == 4)
        #expect(summary.failures.map(\.noteID) == [3])
        let passages = Chunker.passages(title: "note 2", content: bad)
        let place = try #require(passages.firstIndex { $0.text.contains("UNEMBEDDABLE") }) + 1
        #expect(
            summary.failures.map(\.reason) == [
                "passage \(place) of \(passages.count): the input length exceeds the context length"
            ])
        let notes = try await setting.notes(in: summary.space)
        #expect(notes.map { $0.passages > 0 } == [true, true, false, true, true])
        await setting.end()
    }

    @Test(.slow) func `whole notes answer until their passages are complete, and stay in a space of their own`()
        async throws
    {
        var options = FakeOllama.Options()
        options.latency = 0.04
        let setting = try await NotesWithOllama(drafts(Array(repeating: Self.long, count: 12)), options)
        let whole = try await setting.service(chunks: false).run { _ in }
        #expect(whole.space.space.chunkerVersion == 0)
        #expect(try await setting.notes(in: whole.space).allSatisfy { $0.passages == 1 })

        let reports = Collected<BackfillProgress>()
        let task = Task { try await setting.service(batch: 4).run { reports.add($0) } }
        while reports.all.last?.done ?? 0 < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await setting.database.spaces.active() == whole.space)

        let cut = try await setting.service().run { _ in }
        #expect((1...10).contains(cut.embedded))
        #expect(cut.isActive)
        #expect(try await setting.database.spaces.active() == cut.space)
        #expect(cut.space.id != whole.space.id)
        #expect(try await setting.notes(in: whole.space).allSatisfy { $0.passages == 1 })
        #expect(try await setting.notes(in: cut.space).allSatisfy { $0.passages > 8 })
        #expect(try await setting.database.spaces.embeddingCount(in: cut.space.id) == 12)
        await setting.end()
    }

    @Test func `a run that is cancelled within a note stores none of its passages`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.05
        let setting = try await NotesWithOllama(drafts([Self.long]), options)
        let task = Task { try await setting.service(batch: 2).run { _ in } }
        // The probe and two calls.
        #expect(await setting.fake.waitUntil { $0.embedBatches.count >= 3 })
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        let space = try #require(try await setting.database.spaces.active())
        #expect(try await setting.notes(in: space).map(\.passages) == [0])
        #expect(try await setting.service().run { _ in }.embedded == 1)
        await setting.end()
    }
}
