import Foundation
import Machine
import Retrieval
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Searches in PostgreSQL against the index in memory, which is the oracle.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresSearchTests {
    private static let words =
        "tide moon spring neap harbour Straße ÉCLAIR c++ 50% running runs ran it's 日本語 日本 e-mail x2 foo_bar naïve ΣΊΣΥΦΟΣ lamp"
        .split(separator: " ").map(String.init)

    private static func drafts(_ count: Int, seed: UInt64) -> [NoteDraft] {
        var random = SeededGenerator(seed)
        return (0..<count).map { number in
            func text(_ length: ClosedRange<Int>) -> String {
                (0..<Int.random(in: length, using: &random)).map { _ in
                    words[Int.random(in: 0..<words.count, using: &random)]
                        + ["", "", ",", "!", "\n"][Int.random(in: 0..<5, using: &random)]
                }.joined(separator: " ")
            }
            return NoteDraft(
                title: text(0...3), content: text(1...40), createdAt: Int64(number / 3) * 1000,
                noteType: number % 2 == 0 ? "Idea" : "task", threads: number % 5 == 0 ? ["Tides"] : [],
                tags: number % 7 == 0 ? ["Red"] : [], externalID: "n\(number)")
        }
    }

    private static func vector(_ random: inout SeededGenerator, _ dimensions: Int) -> [Float] {
        (0..<dimensions).map { _ in Float.random(in: -1...1, using: &random) }
    }

    /// The same notes in both places.
    private func pair(
        _ count: Int, seed: UInt64, keepsVocabulary: Bool = true
    ) async throws -> (PostgresStage, HybridIndex, PostgresSearch.View) {
        let stage = try await PostgresStage(keepsVocabulary: keepsVocabulary)
        let space = try await stage.space(8)
        let drafts = Self.drafts(count, seed: seed)
        for start in stride(from: 0, to: count, by: 200) {
            let outcome = try await stage.store.notes.insert(Array(drafts[start..<min(count, start + 200)]))
            #expect(outcome.inserted == min(count, start + 200) - start)
        }
        var random = SeededGenerator(seed + 1)
        let rows = try await stage.store.rows(
            "SELECT s.external_id, s.note_id, (SELECT array_agg(thread_id) FROM thread_notes t WHERE t.note_id = s.note_id) FROM note_sources s"
        )
        var (update, vectors) = (IndexUpdate(), [Int64: [Float]]())
        for row in rows.indices {
            let number = try #require(rows.text(row, 0).flatMap { Int($0.dropFirst()) })
            let id = try #require(rows.integer(row, 1))
            let draft = drafts[number]
            update.documents.append(
                RetrievalDocument(
                    id: id, title: draft.title, text: draft.content, noteType: draft.noteType,
                    createdAt: draft.createdAt ?? 0, threads: rows.integers(row, 2) ?? [], tags: draft.tags))
            // Some notes have no vector.
            if number % 11 != 0 { vectors[id] = Self.vector(&random, 8) }
        }
        update.vectors = vectors.map { VectorEntry(id: $0.key, values: $0.value) }
        let index = HybridIndex(dimensions: 8)
        try index.apply(update)
        try await stage.embed(vectors, in: space)
        return (stage, index, try await PostgresSearch(stage.store).view())
    }

    private func compare(
        _ query: HybridQuery, _ stage: PostgresStage, _ index: HybridIndex, _ view: PostgresSearch.View
    ) async throws {
        let expected = try await index.search(query)
        let found = try await PostgresSearch(stage.store).search(query, view)
        let label = Comment(rawValue: "\(query.text) \(query.keywords) \(query.mode) \(query.scorer) \(query.filter)")
        #expect(found.hits.map(\.id) == expected.hits.map(\.id), label)
        for (left, right) in zip(found.hits, expected.hits) { #expect(abs(left.score - right.score) < 1e-5, label) }
        #expect(found.keywordMatches == expected.keywordMatches, label)
        #expect(found.feedback?.documents == expected.feedback?.documents, label)
        #expect(found.feedback?.words.map(\.text) == expected.feedback?.words.map(\.text), label)
        #expect(found.hits.map(\.firstRank) == expected.hits.map(\.firstRank), label)
        // Counting is left out unless it is shown.
        if query.explain { #expect(found.filterMatched == expected.filterMatched, label) }
        #expect(found.documents == expected.documents)
    }

    @Test(.slow, arguments: [1, 2] as [UInt64]) func `exact answers equal those of the index in memory`(_ seed: UInt64)
        async throws
    {
        let (stage, index, view) = try await pair(400, seed: seed, keepsVocabulary: seed == 1)
        #expect(view.hasVectors && view.lastRun > 20)
        // A command with one question reads nothing.
        #expect(try await stage.store.vocabularyIndex.current(upTo: view.lastRun, stage.store) == nil)
        await stage.store.vocabularyIndex.finishReading()
        #expect(try await stage.store.vocabularyIndex.current(upTo: view.lastRun, stage.store) == nil)
        stage.store.keepVocabulary()
        await stage.store.vocabularyIndex.finishReading()
        let known = try await stage.store.vocabularyIndex.current(upTo: view.lastRun, stage.store)
        #expect((known != nil) == (seed == 1))
        var random = SeededGenerator(seed + 7)
        let texts = [
            "tide", "running moon", "c++", "50%", "strasse", "éclair harbour tide", "日本", "it's", "e-mail", "foo_bar",
            "spring tide neap", "x2 lamp lamp", "no such word", "σίσυφος", "%", "n", "the", "moon\u{0301}",
            // Long enough for feedback.
            "tide running moon harbour lamp",
            "spring tides neap moon's lamp harbours strasse éclair c++ 日本 e-mail x2",
        ]
        let filters = [
            Filter(), Filter(noteTypes: ["idea"]), Filter(tags: ["red"]), Filter(since: 20_000, until: 90_000),
            Filter(threads: [1]), Filter(noteTypes: ["none"]),
        ]
        for text in texts {
            for scorer in KeywordScorer.allCases {
                for mode in [RetrievalMode.keyword, .hybrid] {
                    var query = HybridQuery(text: text, mode: mode, limit: 15, scorer: scorer)
                    query.filter = filters[Int.random(in: 0..<filters.count, using: &random)]
                    query.vector = Self.vector(&random, 8)
                    query.explain = Bool.random(using: &random)
                    try await compare(query, stage, index, view)
                }
            }
        }
        for phrase in ["spring tide", "moon, ", "e-mail", "a ru"] {
            try await compare(
                HybridQuery(text: "", keywords: [phrase], mode: .keyword, limit: 20), stage, index, view)
        }
        for filter in filters {
            var query = HybridQuery(text: "", mode: .vector, limit: 30)
            (query.filter, query.vector) = (filter, Self.vector(&random, 8))
            try await compare(query, stage, index, view)
            (query.mode, query.text, query.diversity) = (.hybrid, "tide moon", 0.4)
            query.recency = RecencyWeighting(weight: 0.3, halfLife: 10_000, now: 150_000)
            try await compare(query, stage, index, view)
            (query.text, query.keywords) = ("running tides harbour lamp moon strasse", ["spring tide", "e-mail"])
            (query.explain, query.limit) = (true, 300)
            try await compare(query, stage, index, view)
        }
    }

    @Test func `feedback adds no word that too many notes hold`() async throws {
        let (stage, _, view) = try await pair(200, seed: 3)
        let search = PostgresSearch(stage.store)
        var random = SeededGenerator(4)
        var query = HybridQuery(text: "tide running moon harbour lamp neap", mode: .hybrid, limit: 10)
        (query.vector, query.explain) = (Self.vector(&random, 8), true)
        #expect(try await search.search(query, view).feedback?.words.isEmpty == false)
        // Another store has counted nothing yet.
        let other = try PostgresStage.store(stage.uri)
        defer { other.close() }
        let depth = RemoteLegs.depth(for: query.limit)
        let space = try #require(view.space)
        let keyword = try await PostgresSearch(other).keywords(query, view, depth)
        var legs = RemoteLegs()
        legs.keyword = keyword.hits
        legs.vector = try await PostgresVectorLeg(store: other, space: space, plan: nil, elements: .halfvec)
            .nearest(try #require(query.vector), wanted: depth, filter: Filter(), isExact: true)
        var feedback = PostgresFeedback(store: other, space: space, totals: view.totals)
        feedback.mostHolders = 1
        legs.second = try await feedback.second(
            query, legs, try #require(keyword.answer), runs: keyword.runs, keyword.vocabulary)
        let report = try legs.result(for: query).feedback
        #expect(report?.words == [] && report?.documents.count == 5)
    }

    @Test(.slow) func `counts of common stems are kept for the next start, and those of rare ones are not`()
        async throws
    {
        let stage = try await PostgresStage()
        let many = StemHolders.leastKept + 20
        for start in stride(from: 0, to: many, by: 1000) {
            _ = try await stage.store.notes.insert(
                (start..<min(many, start + 1000)).map {
                    NoteDraft(title: "\($0)", content: $0 < 7 ? "tide moon" : "tide", externalID: "\($0)")
                })
        }
        let ids = try await stage.store.notes.numbers(of: [IndexedText(title: "", text: "tide moon")])
        let runs = ids.reduce(into: [String: [RunVocabulary.Run]]()) {
            $0[$1.key] = [RunVocabulary.Run(id: $1.value, text: $1.key)]
        }
        func counts(_ documents: Int, most: Int = 100_000, _ store: PostgresStore) async throws -> [String: Int] {
            try await StemHolders(store: store, documents: documents, most: most).counts(of: runs)
        }
        let expected = ["tide": many, "moon": 7]
        #expect(try await counts(many, stage.store) == expected)
        let kept = try await stage.store.rows("SELECT stem, holders FROM stem_holders")
        #expect(kept.count == 1 && kept.text(0, 0) == "tide" && kept.integer(0, 1) == Int64(many))
        // Another gateway takes what is kept, until a hundredth of the notes has come or gone.
        _ = try await stage.store.write { try await $0.run("UPDATE stem_holders SET holders = 9999") }
        #expect(try await counts(many, PostgresStage.store(stage.uri)) == ["tide": 9999, "moon": 7])
        #expect(try await counts(many * 2, PostgresStage.store(stage.uri)) == expected)
        // Another limit makes another count.
        #expect(try await counts(many * 2, most: 100, PostgresStage.store(stage.uri)) == ["tide": 0, "moon": 7])
        // Counts that cannot be stored are used all the same.
        _ = try await stage.store.write {
            try await $0.run("ALTER TABLE stem_holders ADD CHECK (holders < 0) NOT VALID")
        }
        #expect(try await counts(many * 4, PostgresStage.store(stage.uri)) == expected)
    }

    @Test func `a count of holders is good until a hundredth of the notes has come or gone`() {
        let cache = HolderCache()
        cache.add(["tide": 7], documents: 1000)
        #expect(cache.counts(of: ["tide", "moon"], documents: 1000) == ["tide": 7])
        #expect(cache.counts(of: ["tide"], documents: 1010) == ["tide": 7])
        #expect(cache.counts(of: ["tide"], documents: 1011) == [:])
        #expect(cache.counts(of: ["tide"], documents: 980) == [:])
        cache.add(Dictionary(uniqueKeysWithValues: (0..<HolderCache.limit).map { ("\($0)", 1) }), documents: 5)
        #expect(cache.counts(of: ["tide"], documents: 1000) == [:])
    }

    @Test(.enabled("needs pgvector that runs on this processor") { await PostgresServer.hasWideVectors })
    func `one pass over the vectors finds what exact searches find, without hidden notes`() async throws {
        let stage = try await PostgresStage()
        _ = try await stage.store.notes.insert(
            (1...90).map { NoteDraft(title: "\($0)", content: "tide", externalID: "\($0)") })
        let space = try await stage.space(3)
        var random = SeededGenerator(8)
        let worker = WorkerName()
        try await stage.store.queue.reconcile(for: space.id)
        let claim = try await stage.store.queue.claim(in: space.id, as: worker, limit: 500, lease: .seconds(60))
        try await stage.store.queue.complete(
            claim.items.map { item in
                let passages = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.vector(&random, 3) }
                return EmbeddingRow(
                    noteID: item.note.id, contentHash: item.note.contentHash, vectors: passages.flatMap(\.self),
                    passages: passages.count)
            }, in: space, as: worker)
        _ = try await stage.store.write { try await $0.run("UPDATE notes SET hidden = true WHERE id % 9 = 0") }
        let queries = (0..<20).map { _ in Self.vector(&random, 3) }
        let reports = Locked<[VectorIndexTuning.Progress]>([])
        let found = try await VectorIndexTuning(stage.store).nearest(to: queries, in: space) { progress in
            reports.change { $0.append(progress) }
        }
        let leg = PostgresVectorLeg(store: stage.store, space: space, plan: nil, elements: .halfvec)
        for (query, hits) in zip(queries, found) {
            let exact = try await leg.search(query, 10, .init(), nil)
            #expect(hits.map(\.id) == exact.map(\.id))
            #expect(VectorIndexTuning.hits(exact, hits) == 10)
            #expect(VectorIndexTuning.hits(Array(exact.dropFirst()), hits) == 9)
            #expect(zip(hits, exact).allSatisfy { abs(Double($0.score) - $1.score) < 1e-5 })
        }
        let last = try #require(reports.value.last)
        #expect(last.step == .exact && last.done == last.total && last.total >= 90)
    }

    @Test(.enabled("needs pgvector that runs on this processor") { await PostgresServer.hasWideVectors })
    func `a build that waits says so, and after a cancelled one the next one works`() async throws {
        let (stage, _, _) = try await pair(100, seed: 6)
        let writer = try await PostgresConnection.open(PostgresAddress(stage.uri))
        try await writer.script("BEGIN; LOCK TABLE selene.vectors IN ROW EXCLUSIVE MODE")
        let tuning = VectorIndexTuning(stage.store)
        let phases = Locked<[String]>([])
        let build = Task {
            try await tuning.tune(sample: 20) { progress in phases.change { $0.append(progress.detail) } }
        }
        try await waitUntil { phases.value.contains("waiting for writers before build") }
        build.cancel()
        await #expect(throws: (any Error).self) { try await build.value }
        // The server stopped, too.
        try await waitUntil {
            let running = try await stage.store.rows(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE 'CREATE INDEX%' AND state = 'active'
                """)
            return running.integer(0, 0) == 0
        }
        try await writer.script("ROLLBACK")
        #expect(try await PostgresSearch(stage.store).view().index == nil)
        let memory = try await tuning.memory(granted: nil)
        let space = try #require(try await stage.store.spaces.active())
        let embedded = try await stage.store.spaces.embeddingCount(in: space.id)
        #expect(embedded > 50 && memory.granted == 64 << 20 && memory.needed == embedded * (2 * 8 + 900))
        #expect(try await tuning.memory(granted: 1 << 20).granted == 1 << 20)
        let found = try await tuning.tune(sample: 20, memory: 8 << 20) { _ in }
        #expect(found.last?.kind == .hnsw)
        #expect(try await PostgresSearch(stage.store).view().index?.kind == .hnsw)
        // The setting of the build is gone from its connection.
        let left = try await stage.store.rows(
            "SELECT count(*) FROM pg_settings WHERE name = 'maintenance_work_mem' AND source = 'session'")
        #expect(left.integer(0, 0) == 0)
    }

    @Test(.enabled("needs pgvector that runs on this processor") { await PostgresServer.hasWideVectors })
    func `a measured index answers, says so, and gives as many notes as pass a filter`() async throws {
        let (stage, _, _) = try await pair(600, seed: 5)
        for kind in VectorIndexPlan.Kind.allCases {
            for elements in VectorIndexPlan.Elements.allCases {
                let found = try await VectorIndexTuning(stage.store, .init(kind, elements)).tune(sample: 50) { _ in }
                #expect(found.last.map { $0.recallAt10 >= VectorIndexPlan.leastRecall } == true)
                let view = try await PostgresSearch(stage.store).view()
                #expect(view.index?.kind == kind)
                var random = SeededGenerator(3)
                var query = HybridQuery(text: "", mode: .vector, limit: 10)
                query.vector = Self.vector(&random, 8)
                let answer = try await PostgresSearch(stage.store).search(query, view)
                #expect(answer.index == kind.rawValue)
                #expect(answer.measuredRecall == found.last?.recallAt10)
                query.filter = Filter(tags: ["red"])
                let filtered = try await PostgresSearch(stage.store).search(query, view)
                query.plan = .exact
                let exact = try await PostgresSearch(stage.store).search(query, view)
                #expect(exact.index == nil)
                #expect(filtered.hits.map(\.id) == exact.hits.map(\.id))
            }
        }
        // The index is used, not only built.
        let plan = try await stage.store.read { connection in
            try await connection.script("BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            let rows = try await connection.run(
                "EXPLAIN SELECT note_id FROM vectors WHERE space_id = 1 ORDER BY (embedding::vector(8)) <=> $1::vector(8) LIMIT 5",
                [.vector(Array(repeating: 1, count: 8))], isPrepared: false)
            try await connection.script("ROLLBACK")
            return rows.indices.compactMap { rows.text($0, 0) }.joined(separator: "\n")
        }
        #expect(plan.contains("vectors_of_space_1"))
    }

    @Test func `an edited and a deleted note are found by what they are now, by every gateway at once`() async throws {
        let stage = try await PostgresStage()
        let other = try PostgresStage.store(stage.uri)
        _ = try await stage.store.notes.insert([
            NoteDraft(title: "one", content: "the tide", externalID: "a"),
            NoteDraft(title: "two", content: "the moon", externalID: "b"),
        ])
        func found(_ text: String) async throws -> [Int64] {
            let search = PostgresSearch(other)
            return try await search.search(HybridQuery(text: text, mode: .keyword), search.view()).hits.map(\.id)
        }
        let ids = (try await found("tide"), try await found("moon"))
        #expect(ids.0.count == 1 && ids.1.count == 1)
        _ = try await stage.store.notes.insert([NoteDraft(title: "one", content: "a harbour", externalID: "a")])
        #expect(try await found("tide") == [])
        #expect(try await found("harbour") == ids.0)
        #expect(try await stage.store.notes.delete(ids.1) == 1)
        #expect(try await found("moon") == [])
        let totals = try await PostgresSearch(stage.store).view().totals
        #expect(totals == .init(documents: 1, words: 3, bytes: 3 + 9 + 2))
        try await stage.store.maintain(keeping: 1)
        #expect(try await PostgresSearch(stage.store).view().totals == totals)
        #expect(try await stage.store.rows("SELECT count(*) FROM totals").integer(0, 0) == 1)
        #expect(try await stage.store.rows("SELECT count(*) FROM changes").integer(0, 0) == 1)
    }
}
