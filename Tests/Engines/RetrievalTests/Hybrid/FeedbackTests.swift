import Foundation
import TestSupport
import Testing
import Text

@testable import Retrieval

/// Feedback against a slow computation from texts and vectors, and what it must leave alone.
@Suite struct Feedbacks {
    /// A small world: each document belongs to one of a few subjects, with words and a direction of its own.
    struct World {
        static let dimensions = 12
        var texts: [Int64: (title: String, text: String)] = [:]
        var vectors: [Int64: [[Float]]] = [:]
        var index = HybridIndex(dimensions: dimensions)

        init(_ seed: UInt64, documents: Int64 = 260) throws {
            var random = SeededGenerator(seed)
            let centres = (0..<6).map { _ in random.vector(Self.dimensions) }
            for id in 0..<documents {
                let subject = Int.random(in: 0..<6, using: &random)
                let words = (0..<Int.random(in: 4...30, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? "subject\(subject)x\(Int.random(in: 0..<8, using: &random))"
                        : "word\(Int.random(in: 0..<40, using: &random)) the"
                }
                texts[id] = (id % 3 == 0 ? "subject\(subject)x0 title" : "", words.joined(separator: " "))
                guard id % 9 != 0 else { continue }
                vectors[id] = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    zip(centres[subject], random.vector(Self.dimensions)).map { $0 + $1 }
                }
            }
            // Several updates, so that the text lies in several segments with dead rows.
            for start in stride(from: Int64(0), to: documents, by: 37) {
                var update = IndexUpdate()
                for id in start..<min(documents, start + 37) {
                    update.documents.append(RetrievalDocument(id: id, title: "old", text: "old word1 subject1x1"))
                }
                try index.apply(update)
            }
            try index.apply(update(Array(texts.keys)))
        }

        func update(_ ids: [Int64]) -> IndexUpdate {
            var update = IndexUpdate()
            for id in ids.sorted() {
                let own = texts[id] ?? ("", "")
                update.documents.append(
                    RetrievalDocument(
                        id: id, title: own.title, text: own.text, noteType: id % 2 == 0 ? "even" : "odd",
                        createdAt: id % 11))
                guard let rows = vectors[id] else { continue }
                update.vectors.append(VectorEntry(id: id, values: rows.flatMap { $0 }, passages: rows.count))
            }
            return update
        }

        func query(_ seed: UInt64, words: Int = 9) -> HybridQuery {
            var random = SeededGenerator(seed)
            let subject = Int.random(in: 0..<6, using: &random)
            let named = (0..<8).map { "subject\(subject)x\($0)" }.shuffled(using: &random).prefix(3)
            let others = (0..<40).map { "word\($0)" }.shuffled(using: &random).prefix(words - 3)
            return HybridQuery(
                text: (named + others).joined(separator: " "), vector: random.vector(Self.dimensions), limit: 50,
                explain: true)
        }
    }

    /// The second ranking, computed from the first one's hits with dictionaries.
    struct Oracle {
        let world: World
        let feedback: Feedback
        /// By document: how often it has each stem.
        let counts: [Int64: [String: Int]]

        static func stems(_ text: String) -> [String] {
            let folded = TextFolding.fold(text)
            return WordBytes.runs(in: folded).map {
                String(decoding: EnglishStemmer.stem(Array(folded[$0])), as: UTF8.self)
            }
        }

        init(world: World, feedback: Feedback) {
            self.world = world
            self.feedback = feedback
            counts = world.texts.mapValues { own in
                var counts: [String: Int] = [:]
                for stem in Self.stems(own.title + " " + own.text) where stem != "the" { counts[stem, default: 0] += 1 }
                return counts
            }
        }

        /// The weights of the added stems.
        func words(_ best: [Int64], own: Int, strength: Double) -> [String: Double] {
            var sums: [String: (times: Int, documents: Int)] = [:]
            for id in best {
                for (stem, times) in counts[id] ?? [:] {
                    let old = sums[stem] ?? (0, 0)
                    sums[stem] = (old.times + times, old.documents + 1)
                }
            }
            var weights: [(stem: String, weight: Double)] = []
            for (stem, sum) in sums where sum.documents >= feedback.holders {
                let holders = counts.values.count { $0[stem] != nil }
                let rate = Double(holders) / Double(world.texts.count)
                weights.append((stem, Double(sum.times) * log2((1 + rate) / rate) + log2(1 + rate)))
            }
            weights.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.stem < $1.stem }
            let chosen = weights.prefix(feedback.words)
            guard let greatest = chosen.first?.weight else { return [:] }
            let whole = chosen.reduce(0) { $0 + $1.weight / greatest }
            let scale = strength * min(feedback.wordWeight, feedback.wordsShare * Double(own) / whole)
            return Dictionary(uniqueKeysWithValues: chosen.map { ($0.stem, $0.weight / greatest * scale) })
        }

        func unit(_ values: [Float]) -> [Float] { UnitVector.normalised(values) ?? values }

        /// The passage of a document that is nearest to a query.
        func nearest(_ id: Int64, to query: [Float]) -> [Float]? {
            world.vectors[id]?.map(unit).max { dot($0, query) < dot($1, query) }
        }

        func dot(_ left: [Float], _ right: [Float]) -> Float { zip(left, right).reduce(0) { $0 + $1.0 * $1.1 } }

        func moved(_ query: [Float], _ best: [Int64], strength: Double) -> [Float] {
            let rows = best.compactMap { nearest($0, to: query) }
            guard !rows.isEmpty else { return query }
            let share = Float(feedback.vectorWeight * strength) / Float(rows.count)
            return unit(query.indices.map { place in query[place] + share * rows.reduce(0) { $0 + $1[place] } })
        }
    }

    @Test(.slow, arguments: UInt64(1)...6)
    func `the report and the cosines equal a slow computation`(seed: UInt64) throws {
        let world = try World(seed)
        let feedback = Feedback.standard
        let oracle = Oracle(world: world, feedback: feedback)
        for round in 0..<6 {
            var query = world.query(seed * 100 + UInt64(round), words: 6 + round * 2)
            query.feedback = nil
            query.limit = 1000
            let first = try world.index.searchNow(query)
            query.feedback = .standard
            let second = try world.index.searchNow(query)
            let own = Set(query.text.split(separator: " ")).count
            let strength = feedback.strength(words: own)
            let best = first.hits.prefix(feedback.documents).map(\.id)
            let report = try #require(second.feedback)
            #expect(report.documents == best)
            #expect(abs(report.vectorWeight - feedback.vectorWeight * strength) < 1e-12)
            let expected = oracle.words(best, own: own, strength: strength)
            let found = Dictionary(uniqueKeysWithValues: report.words.map { (Oracle.stems($0.text)[0], $0.weight) })
            #expect(Set(found.keys) == Set(expected.keys))
            for (stem, weight) in expected { #expect(abs((found[stem] ?? 0) - weight) < 1e-9, "\(stem)") }
            // The same candidates, each with the rank that it had.
            #expect(Set(second.hits.map(\.id)) == Set(first.hits.map(\.id)))
            let ranks = Dictionary(uniqueKeysWithValues: first.hits.enumerated().map { ($0.element.id, $0.offset + 1) })
            for hit in second.hits { #expect(hit.firstRank == ranks[hit.id]) }
            let unit = oracle.unit(query.vector ?? [])
            let moved = oracle.moved(unit, best, strength: strength)
            for hit in second.hits {
                guard let leg = hit.vector, let row = oracle.nearest(hit.id, to: unit) else { continue }
                #expect(abs(leg.score - Double(oracle.dot(row, moved))) < 1e-5)
            }
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `scores are what the explanation adds up, and the words equal a search for all of them`(seed: UInt64) throws {
        let world = try World(seed)
        let query = world.query(seed, words: 12)
        let result = try world.index.searchNow(query)
        #expect(result.feedback?.words.isEmpty == false)
        for hit in result.hits {
            let parts = [hit.vector, hit.keyword].compactMap { $0 }.reduce(0) { $0 + $1.normalised * $1.weight }
            #expect(abs(hit.score - parts) < 1e-12)
        }
        // A keyword leg with the added stems as seeks gives every document the score of the second pass.
        let snapshot = world.index.snapshot
        let terms = QueryTerms(text: query.text, phrases: [])
        let search = KeywordSearch(
            wanted: 1000, terms: terms, scorer: .both, needsPattern: false, index: snapshot.keywords, passed: nil,
            catalog: snapshot.catalog)
        let words = (result.feedback?.words ?? []).map { word in
            let stem = EnglishStemmer.stem(Array(word.text.utf8))
            return FeedbackWords.Chosen(
                stem: stem, word: stem, weight: word.weight,
                found: search.find(.stem(stem, factor: 1)))
        }
        let all = search.adding(words, to: search.seeks.map(search.find)).search.run().hits
        let scores = Dictionary(uniqueKeysWithValues: all.map { (snapshot.catalog.ids[$0.ordinal], $0.score) })
        for hit in result.hits {
            if let leg = hit.keyword { #expect(abs(leg.score - (scores[hit.id] ?? 0)) < 1e-6) }
        }
    }

    @Test func `short queries, one leg and no feedback are left as they are`() throws {
        let world = try World(9)
        func pairs(_ result: HybridResult) -> [String] { result.hits.map { "\($0.id) \($0.score)" } }
        for words in 3...4 {
            var query = world.query(3, words: words)
            let with = try world.index.searchNow(query)
            query.feedback = nil
            #expect(with.feedback == nil)
            #expect(with.hits.allSatisfy { $0.firstRank == nil })
            #expect(pairs(with) == pairs(try world.index.searchNow(query)))
        }
        for mode in [RetrievalMode.vector, .keyword] {
            var query = world.query(4)
            query.mode = mode
            #expect(try world.index.searchNow(query).feedback == nil)
        }
        var none = world.query(5)
        none.text = (0..<9).map { "absent\($0)" }.joined(separator: " ")
        #expect(try world.index.searchNow(none).feedback == nil)
        none.feedback = nil
        #expect(try world.index.searchNow(none).hits.count == 50)
    }

    @Test func `filters stay exact and a longer list begins as a shorter one`() throws {
        let world = try World(11)
        for seed in UInt64(0)..<8 {
            var query = world.query(seed)
            query.filter = Filter(noteTypes: ["even"])
            let result = try world.index.searchNow(query)
            #expect(result.hits.allSatisfy { $0.id % 2 == 0 })
            #expect(result.feedback?.documents.allSatisfy { $0 % 2 == 0 } == true)
            let ids = result.hits.map(\.id)
            query.limit = 7
            #expect(try world.index.searchNow(query).hits.map(\.id) == Array(ids.prefix(7)))
        }
    }

    @Test func `the same documents in one segment and in many rank alike`() throws {
        let world = try World(12)
        let whole = HybridIndex(dimensions: World.dimensions)
        try whole.apply(world.update(Array(world.texts.keys)))
        let encoded = HybridIndex(dimensions: World.dimensions)
        try encoded.apply(world.update(Array(world.texts.keys)))
        encoded.encodeRows(for: [.int8]) { _, _ in }
        for seed in UInt64(0)..<12 {
            var query = world.query(seed)
            let many = try world.index.searchNow(query)
            let one = try whole.searchNow(query)
            #expect(many.hits.map(\.id) == one.hits.map(\.id))
            #expect(zip(many.hits, one.hits).allSatisfy { abs($0.score - $1.score) < 1e-6 })
            #expect(many.feedback == one.feedback)
            query.plan = .int8
            query.candidates = 10_000
            let coded = try encoded.searchNow(query)
            #expect(coded.plan == .int8)
            #expect(coded.hits.map(\.id) == one.hits.map(\.id))
        }
    }

    @Test func `a very long document is read only to its limit`() throws {
        let index = HybridIndex(dimensions: 2)
        let long = String(repeating: "filler ", count: 4000) + "secret secret secret"
        var update = IndexUpdate()
        for id in Int64(1)...3 {
            update.documents.append(
                RetrievalDocument(id: id, title: "", text: "alpha beta gamma delta epsilon " + long))
            update.vectors.append(VectorEntry(id: id, values: [1, Float(id)]))
        }
        try index.apply(update)
        let result = try index.searchNow(
            HybridQuery(text: "alpha beta gamma delta epsilon zeta", vector: [1, 1], explain: true))
        let words = try #require(result.feedback).words.map(\.text)
        #expect(words.contains("filler"))
        #expect(!words.contains("secret"))
    }
}
