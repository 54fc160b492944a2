import FakeOllama
import Foundation
import Inference
import Storage
import TestSupport
import Testing
import Transport

@testable import Backfill

@Suite struct BackfillUnderPressure {
    @Test(.slow) func `Retry-After is kept, and no try is counted`() async throws {
        let setting = try await NotesWithOllama(notes: 20)
        setting.fake.setFaults(["busy=503:1@/api/embed#2"])
        // The model is known, so that the first call is one of notes.
        let summary = try await setting.service().run { _ in }
        #expect(summary.embedded == 20)
        #expect(summary.failures.isEmpty)
        await setting.end()
    }

    @Test(.slow) func `429, 502, 503, drops and stalls are waited for`() async throws {
        let setting = try await NotesWithOllama(notes: 24)
        _ = try await setting.service(limit: 4).run { _ in }
        setting.fake.setFaults([
            "status=429@/api/embed#1", "status=502@/api/embed#1", "drop@/api/embed#1", "cut=0@/api/embed#1",
            "status=500@/api/embed#1",
        ])
        let reports = Collected<BackfillProgress>()
        let summary = try await setting.service().run { reports.add($0) }
        #expect(summary.embedded == 20)
        #expect(summary.failures.isEmpty)
        #expect(reports.all.contains { $0.pause != nil })
        #expect(reports.all.last == BackfillProgress(done: 24, total: 24, failed: 0))
        await setting.end()
    }

    @Test func `an Ollama that stays away ends the run with its reason, and everything is given back`() async throws {
        let setting = try await NotesWithOllama(notes: 12)
        let space = try await setting.service(limit: 4).run { _ in }.space
        setting.fake.setFaults(["status=503@/api/embed"])
        do {
            _ = try await setting.service(outageTimeout: .milliseconds(300)).run { _ in }
            Issue.record("no error")
        } catch let error as UpstreamError {
            #expect(error.status == 503)
        }
        #expect(
            try await setting.database.queue.counts(in: space.id) == QueueCounts(waiting: 8, leased: 0, failed: 0))
        setting.fake.setFaults([])
        #expect(try await setting.service().run { _ in }.embedded == 8)
        await setting.end()
    }

    @Test func `a bad note is given up once, and tried again when asked for or edited`() async throws {
        let setting = try await NotesWithOllama(notes: 5)
        _ = try await setting.database.notes.insert([
            NoteDraft(title: "bad", content: "UNEMBEDDABLE", externalID: "bad")
        ])
        let first = try await setting.service().run { _ in }
        #expect(first.failures.map(\.noteID) == [6])
        setting.fake.reset()
        let second = try await setting.service().run { _ in }
        #expect(second.failures == first.failures)
        #expect(setting.fake.statistics.embedBatches.isEmpty)
        #expect(try await setting.database.queue.retryFailed() == 1)
        _ = try await setting.service().run { _ in }
        #expect(setting.fake.statistics.embedBatches == [1] || setting.fake.statistics.embedBatches.isEmpty)
        _ = try await setting.database.notes.insert([NoteDraft(title: "bad", content: "good", externalID: "bad")])
        let last = try await setting.service().run { _ in }
        #expect(last.embedded == 1 && last.failures.isEmpty)
        await setting.end()
    }

    @Test func `two runs share the work, and no text is embedded twice`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.01
        let setting = try await NotesWithOllama(notes: 120, options)
        _ = try await setting.service(limit: 1).run { _ in }
        setting.fake.reset()
        async let one = setting.service(batch: 4).run { _ in }
        async let two = setting.service(batch: 4).run { _ in }
        let embedded = try await (one.embedded, two.embedded)
        #expect(embedded.0 + embedded.1 == 119)
        #expect(embedded.0 > 0 && embedded.1 > 0)
        #expect(setting.fake.statistics.embedBatches.reduce(0, +) == 119)
        await setting.end()
    }

    @Test func `a note that is edited while the run goes on has the vector of its last text`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.02
        let setting = try await NotesWithOllama(notes: 60, options)
        let database = setting.database
        let editor = Task {
            for round in 0..<20 {
                _ = try await database.notes.insert([
                    NoteDraft(title: "note \(round)", content: "edited \(round)", externalID: "\(round)")
                ])
                try await Task.sleep(for: .milliseconds(7))
            }
        }
        _ = try await setting.service(batch: 4).run { _ in }
        try await editor.value
        let summary = try await setting.service(batch: 4).run { _ in }
        #expect(summary.waiting == 0)
        let hashed = HashedEmbedding(dimensions: 384)
        let notes = try await setting.notes(in: summary.space)
        #expect(notes.count == 60)
        for note in notes {
            #expect(note.vectors == hashed.vector(for: "search_document: \(note.title)\n\(note.content)"))
        }
        await setting.end()
    }

    @Test func `a limit and a day bound a run`() async throws {
        let setting = try await NotesWithOllama(
            (0..<10).map {
                NoteDraft(title: "t\($0)", content: "c", createdAt: Int64($0) * 86_400, externalID: "\($0)")
            })
        let first = try await setting.service(limit: 3).run { _ in }
        #expect(first.embedded == 3 && first.waiting == 7)
        let second = try await setting.service(filter: QueueFilter(createdSince: "1970-01-05")).run { _ in }
        #expect(second.embedded == 3 && second.waiting == 4)
        #expect(try await setting.service().run { _ in }.embedded == 4)
        await setting.end()
    }
}

@Suite struct Migrating {
    @Test func `short notes are taken over when only the cutting differs`() async throws {
        let long = String(repeating: "A long note speaks of the tide. ", count: 100)
        let setting = try await NotesWithOllama(
            (0..<9).map { NoteDraft(title: "n\($0)", content: $0 < 8 ? "short \($0)" : long, externalID: "\($0)") })
        _ = try await setting.service(chunks: false).run { _ in }
        let cut = try await setting.service().run { _ in }
        #expect(cut.copied == 8 && cut.embedded == 1 && cut.isActive)
        let hashed = HashedEmbedding(dimensions: 384)
        for note in try await setting.notes(in: cut.space) where note.passages == 1 {
            #expect(note.vectors == hashed.vector(for: "search_document: \(note.title)\n\(note.content)"))
        }
        await setting.end()
    }

    @Test(.slow) func `notes of the day go into the active space too, which answers until the other is full`()
        async throws
    {
        var options = FakeOllama.Options()
        options.latency = 0.03
        let setting = try await NotesWithOllama(notes: 40, options)
        let old = try await setting.service().run { _ in }.space
        let reports = Collected<BackfillProgress>()
        let migration = Task { try await setting.service(model: "all-minilm", batch: 4).run { reports.add($0) } }
        while reports.all.last?.done ?? 0 < 8 { await Task.yield() }
        _ = try await setting.database.notes.insert([NoteDraft(title: "today", content: "new", externalID: "today")])
        while try await setting.database.spaces.embeddingCount(in: old.id) < 41 { await Task.yield() }
        #expect(try await setting.database.spaces.active() == old)
        let new = try await migration.value
        #expect(new.isActive && new.total == 41)
        let back = try await setting.database.spaces.rollBack()
        #expect(back == old)
        let again = try await setting.service(model: "all-minilm").run { _ in }
        #expect(!again.isActive && again.wasLeft)
        #expect(try await setting.database.spaces.active() == old)
        await setting.end()
    }

    @Test func `a space takes over at the share that was asked for, and is filled on`() async throws {
        let setting = try await NotesWithOllama(notes: 40)
        _ = try await setting.service().run { _ in }
        let database = setting.database
        let seen = Collected<(done: Int, model: String?)>()
        let summary = try await setting.service(model: "all-minilm", batch: 4, switchShare: 0.5).run { progress in
            seen.add((progress.done, try? await database.spaces.active()?.space.model))
        }
        #expect(summary.isActive && summary.total == 40)
        for state in seen.all {
            #expect(state.model == (state.done < 20 ? "nomic-embed-text" : "all-minilm"), "\(state)")
        }
        #expect(Set(seen.all.map(\.done)).isSuperset(of: [16, 20, 36]))
        await setting.end()
    }

    @Test func `a server embeds what is written, and migrates by itself`() async throws {
        let setting = try await NotesWithOllama(notes: 10)
        let database = setting.database
        func following(_ model: String) -> Task<Void, Never> {
            Task { await setting.service(model: model).follow(every: .milliseconds(10)) }
        }
        let first = following("nomic-embed-text")
        try await waitUntil { try await database.spaces.active().map { $0.id } == 1 }
        try await waitUntil { try await database.spaces.embeddingCount(in: 1) == 10 }
        _ = try await database.notes.insert([NoteDraft(title: "new", content: "new", externalID: "new")])
        try await waitUntil { try await database.spaces.embeddingCount(in: 1) == 11 }
        first.cancel()
        await first.value
        let second = following("all-minilm")
        try await waitUntil { try await database.spaces.active()?.space.model == "all-minilm" }
        #expect(try await database.spaces.embeddingCount(in: 2) == 11)
        _ = try await database.spaces.rollBack()
        _ = try await database.notes.insert([NoteDraft(title: "newer", content: "newer", externalID: "newer")])
        try await waitUntil { try await database.spaces.embeddingCount(in: 1) == 12 }
        #expect(try await database.spaces.active()?.id == 1)
        second.cancel()
        await second.value
        await setting.end()
    }
}

@Suite struct PressureRules {
    @Test func `calls grow while they are short and shrink when they are long or fail`() {
        var sizer = BatchSizer(most: 128)
        #expect(sizer.size == 32)
        sizer.succeeded(texts: 32, in: .milliseconds(100))
        #expect(sizer.size == 64)
        sizer.succeeded(texts: 3, in: .milliseconds(10))
        #expect(sizer.size == 64)
        sizer.succeeded(texts: 64, in: .milliseconds(300))
        sizer.succeeded(texts: 128, in: .milliseconds(700))
        #expect(sizer.size == 128)
        sizer.succeeded(texts: 128, in: .seconds(3))
        #expect(sizer.size == 64)
        for _ in 0..<9 { sizer.failed() }
        #expect(sizer.size == 1)
        #expect(BatchSizer(most: 4).size == 4)
        var slow = BatchSizer(most: 32)
        #expect(slow.politeSize == 1)
        slow.succeeded(texts: 32, in: .milliseconds(320))
        #expect(slow.politeSize == 5)
    }

    @Test func `pauses double up to a limit, and what Ollama asks for counts`() {
        let now = ContinuousClock.now
        let error = UpstreamError(.refused, "away")
        var outage = Outage(error, now: now, random: 0.5)
        var pauses = [outage.until - now]
        for _ in 0..<9 {
            let later = outage.until
            outage.failed(error, now: later, random: 0.5)
            pauses.append(outage.until - later)
        }
        #expect(pauses.prefix(4) == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)])
        #expect(pauses.last == .seconds(30))
        let asked = Outage(UpstreamError(.status, "busy", status: 503, retryAfterSeconds: 7), now: now)
        #expect(asked.until == now + .seconds(7))
        #expect(outage.exceeds(.seconds(1), now: outage.until))
        #expect(!outage.exceeds(nil, now: outage.until))
    }

    @Test func `while questions come, a backfill takes a thirtieth of the time`() {
        let start = ContinuousClock.now
        var throttle = BackfillThrottle()
        throttle.observe(5, now: start)
        throttle.called(for: .milliseconds(20), now: start)
        #expect(throttle.rest(now: start) == nil)
        throttle.observe(6, now: start)
        throttle.called(for: .milliseconds(20), now: start)
        let rest = throttle.rest(now: start) ?? .zero
        #expect(abs(rest / .milliseconds(1) - 646.67) < 0.1)
        #expect(throttle.isNeeded(now: start + .milliseconds(900)))
        #expect(!throttle.isNeeded(now: start + .milliseconds(1100)))
    }
}
