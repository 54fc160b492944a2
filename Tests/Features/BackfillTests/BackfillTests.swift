import FakeOllama
import Foundation
import Inference
import Storage
import TestSupport
import Testing
import Text
import Transport

@testable import Backfill

@Suite struct Backfilling {
    @Test(arguments: [1, 3]) func `every note gets the vector of its prefixed text`(concurrency: Int) async throws {
        let setting = try await NotesWithOllama(notes: 50)
        let reports = Collected<BackfillProgress>()
        let summary = try await setting.service(concurrency: concurrency).run { reports.add($0) }
        #expect(summary.embedded == 50)
        #expect(summary.total == 50)
        #expect(summary.isActive)
        #expect(summary.failures.isEmpty)
        #expect(summary.space.space.documentPrefix == "search_document: ")
        #expect(reports.all.last == BackfillProgress(done: 50, total: 50, failed: 0))
        let batches = setting.fake.statistics.embedBatches
        #expect(batches.allSatisfy { $0 <= 8 })
        #expect(setting.fake.statistics.maxInFlight <= concurrency)
        #expect(setting.fake.statistics.lastBody.contains("search_document: "))

        let hashed = HashedEmbedding(dimensions: 384)
        let checked = Collected<Bool>()
        _ = try await setting.database.changes.readAll(in: summary.space) { notes in
            for case .present(let note) in notes {
                let text = "search_document: " + EmbeddedText.of(title: note.title, content: note.content)
                checked.add(note.vectors == hashed.vector(for: text))
            }
        }
        #expect(checked.all == Array(repeating: true, count: 50))
        await setting.end()
    }

    @Test func `a second run embeds nothing, and an edited note alone after that`() async throws {
        let setting = try await NotesWithOllama(notes: 20)
        _ = try await setting.service().run { _ in }
        setting.fake.reset()
        #expect(try await setting.service().run { _ in }.embedded == 0)
        #expect(setting.fake.statistics.embedBatches == [])
        _ = try await setting.database.notes.insert([NoteDraft(title: "note 3", content: "edited", externalID: "3")])
        #expect(try await setting.service().run { _ in }.embedded == 1)
        await setting.end()
    }

    @Test func `one text that the model refuses fails alone`() async throws {
        let setting = try await NotesWithOllama(notes: 20)
        _ = try await setting.database.notes.insert([
            NoteDraft(title: "bad", content: "UNEMBEDDABLE", externalID: "bad")
        ])
        let summary = try await setting.service(batch: 32).run { _ in }
        #expect(summary.embedded == 20)
        #expect(summary.failures.map(\.reason) == ["the input length exceeds the context length"])
        await setting.end()
    }

    @Test(
        .slow,
        arguments: [
            ["NULLVEC"], ["SHORTVEC"], ["EMPTYVEC"], ["INFVEC"], ["HUGEVEC"], ["LARGEVEC"], ["TINYVEC"], ["ZEROVEC"],
            ["FEWERVEC"], ["NULLVEC", "SHORTVEC", "FEWERVEC"],
        ])
    func `a bad vector costs its own note, which is named with a reason`(_ odd: [String]) async throws {
        let setting = try await NotesWithOllama(notes: 12)
        _ = try await setting.database.notes.insert(odd.map { NoteDraft(title: "odd", content: $0, externalID: $0) })
        let summary = try await setting.service(batch: 32).run { _ in }
        #expect(summary.embedded == 12)
        #expect(summary.failures.count == odd.count)
        #expect(summary.failures.allSatisfy { !$0.reason.isEmpty })
        // A new note goes on, and so does one whose text is good again.
        _ = try await setting.database.notes.insert([
            NoteDraft(title: "new", content: "text", externalID: "new"),
            NoteDraft(title: "odd", content: "good again", externalID: odd[0]),
        ])
        #expect(try await setting.service(batch: 32).run { _ in }.embedded == 2)
        await setting.end()
    }

    @Test(arguments: [1, 5]) func `a model without a usable vector for any text is an error of the model`(
        notes: Int
    ) async throws {
        let setting = try await NotesWithOllama(notes: notes)
        _ = try await setting.service().run { _ in }
        _ = try await setting.database.notes.insert(
            (0..<notes).map { NoteDraft(title: "note \($0)", content: "changed", externalID: "\($0)") })
        setting.fake.setFaults(["bad-json=0@/api/embed"])
        await #expect(throws: UpstreamError.self) { try await setting.service().run { _ in } }
        setting.fake.setFaults([])
        #expect(try await setting.service().run { _ in }.embedded == notes)
        await setting.end()
    }

    @Test(.slow) func `an Ollama that is busy for a while is waited for`() async throws {
        let setting = try await NotesWithOllama(notes: 10)
        setting.fake.setFaults(["status=503@/api/embed#2", "drop@/api/embed#1"])
        #expect(try await setting.service().run { _ in }.embedded == 10)
        await setting.end()
    }

    @Test func `a model that is not there is an error with the way out`() async throws {
        let setting = try await NotesWithOllama(notes: 1)
        do {
            _ = try await setting.service(model: "missing").run { _ in }
            Issue.record("no error")
        } catch let error as UpstreamError {
            #expect(error.message.contains("ollama pull missing"))
        }
        await setting.end()
    }

    @Test func `another model fills a space of its own, which takes over when it is complete`() async throws {
        let setting = try await NotesWithOllama(notes: 10)
        let first = try await setting.service(model: "nomic-embed-text").run { _ in }
        let second = try await setting.service(model: "all-minilm").run { _ in }
        #expect(second.space.id != first.space.id)
        #expect(second.space.space.documentPrefix == "")
        #expect(try await setting.database.spaces.active() == second.space)
        #expect(try await setting.database.spaces.embeddingCount(in: first.space.id) == 10)
        await setting.end()
    }

    @Test func `a run that is cancelled keeps what it stored, and the next goes on`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.02
        let setting = try await NotesWithOllama(notes: 40, options)
        let reports = Collected<BackfillProgress>()
        let task = Task { try await setting.service(batch: 4).run { reports.add($0) } }
        while reports.all.last?.done ?? 0 < 8 { await Task.yield() }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        let space = try #require(try await setting.database.spaces.active())
        let stored = try await setting.database.spaces.embeddingCount(in: space.id)
        #expect((8..<40).contains(stored))
        #expect(try await setting.service().run { _ in }.embedded == 40 - stored)
        await setting.end()
    }
}

@Suite struct Planning {
    func notes(_ lengths: [Int]) -> [PendingNote] {
        lengths.enumerated().map {
            PendingNote(
                id: Int64($0.offset), title: "", content: String(repeating: "x", count: $0.element), contentHash: [])
        }
    }

    func space(_ id: SpaceID, chunks: Bool = true) -> StoredSpace {
        StoredSpace(
            id: id,
            space: EmbeddingSpace(
                model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: "",
                chunkerVersion: chunks ? 1 : 0))
    }

    func batches(of lengths: [Int], size: Int, chunks: Bool) -> [[Int64]] {
        var held = HeldNotes()
        let one = space(1, chunks: chunks)
        held.add(notes(lengths).map { HeldNote(QueueItem(note: $0, attempts: 0), of: one) }, of: one)
        var batches: [[Int64]] = []
        while let batch = held.next(size: size) { batches.append(batch.notes.map(\.note.id)) }
        #expect(held.texts == 0)
        return batches
    }

    @Test func `batches keep the order, the count and the bytes`() {
        let million = BackfillPlan.maxCallBytes
        #expect(batches(of: [], size: 4, chunks: true).isEmpty)
        #expect(batches(of: [1, 1, 1, 1, 1], size: 2, chunks: true) == [[0, 1], [2, 3], [4]])
        #expect(batches(of: [million, 1, million + 5, 1], size: 9, chunks: false) == [[0], [1], [2], [3]])
    }

    @Test func `passages count, and a note is never torn apart`() {
        // 5,000 bytes without borders are five passages.
        #expect(batches(of: [1, 5000, 1, 1, 5000, 5000], size: 6, chunks: true) == [[0, 1], [2, 3], [4], [5]])
        #expect(batches(of: [5000, 5000, 1], size: 2, chunks: true) == [[0], [1], [2]])
        #expect(batches(of: [5000, 5000, 1], size: 9, chunks: false) == [[0, 1, 2]])
    }

    @Test func `calls keep the order, the count and the bytes`() {
        let big = String(repeating: "x", count: BackfillPlan.maxCallBytes)
        #expect(BackfillPlan.calls(for: [], size: 2).isEmpty)
        #expect(BackfillPlan.calls(for: ["a", "b", "c", "d", "e"], size: 2) == [0..<2, 2..<4, 4..<5])
        #expect(BackfillPlan.calls(for: ["a", big, "b", "c"], size: 9) == [0..<1, 1..<2, 2..<4])
    }

    @Test func `pauses double up to a limit and end`() {
        let policy = BackfillRetryPolicy(attempts: 4, firstPause: .seconds(1), longestPause: .seconds(3))
        #expect((1...4).map { policy.pause(afterFailures: $0) } == [.seconds(1), .seconds(2), .seconds(3), nil])
        // Ollama may ask for more, up to a minute.
        #expect(
            [1, 7, 3600].map { policy.pause(afterFailures: 2, asked: $0) } == [.seconds(2), .seconds(7), .seconds(60)])
    }

    @Test(
        arguments: [
            (.zero, 1), (.milliseconds(249), 1), (.milliseconds(250), 2), (.milliseconds(750), 3), (.seconds(16), 7),
            (.seconds(86_400), 8_645), (nil, 6),
        ] as [(Duration?, Int)])
    func `as many calls are made as a time has room for`(limit: Duration?, calls: Int) {
        let policy = BackfillRetryPolicy(within: limit)
        #expect(policy.attempts == calls)
        #expect(policy.pause(afterFailures: calls) == nil)
        let waited = (1..<max(1, calls)).compactMap { policy.pause(afterFailures: $0) }.reduce(.zero, +)
        if let limit { #expect(waited <= limit) }
    }
}
