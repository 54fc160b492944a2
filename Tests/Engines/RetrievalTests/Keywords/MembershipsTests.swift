import TestSupport
import Testing

@testable import Retrieval

/// Threads and tags of documents, those of an index file and those that came later.
@Suite struct Labels {
    /// Labels as sets, for comparison.
    struct ExpectedLabels {
        var threads: [Int64: Set<Int64>] = [:]
        var tags: [Int64: Set<String>] = [:]

        func ids(threads wanted: Set<Int64>, tags words: Set<String>) -> [Int64] {
            let words = Set(words.map { $0.lowercased() })
            return threads.keys.filter { id in
                (wanted.isEmpty || !wanted.isDisjoint(with: threads[id] ?? []))
                    && (words.isEmpty || !words.isDisjoint(with: Set((tags[id] ?? []).map { $0.lowercased() })))
            }.sorted()
        }
    }

    static let words = ["Sea", "sea", "bread", "ÉTÉ", "a b", "@1", "#1", "1"]

    /// Changes some documents in the index and in the model alike, or removes them.
    func change(_ index: HybridIndex, _ model: inout ExpectedLabels, _ random: inout SeededGenerator) throws {
        var update = IndexUpdate()
        for id in (Int64(0)..<60).shuffled(using: &random).prefix(20) {
            if Int.random(in: 0..<6, using: &random) == 0 {
                update.removedDocuments.append(id)
                model.threads[id] = nil
                model.tags[id] = nil
                continue
            }
            let threads = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                Int64.random(in: -2...6, using: &random)
            }
            let tags = (0..<Int.random(in: 0..<3, using: &random)).compactMap { _ in
                Self.words.randomElement(using: &random)
            }
            update.documents.append(
                RetrievalDocument(id: id, title: "", text: "word", threads: threads, tags: tags))
            model.threads[id] = Set(threads)
            model.tags[id] = Set(tags)
        }
        try index.apply(update)
    }

    func check(_ index: HybridIndex, _ model: ExpectedLabels) throws {
        var filters: [(Set<Int64>, Set<String>)] = (-3...7).map { ([$0], []) } + [([1, 2], []), ([.max], [])]
        filters += Self.words.map { ([], [$0]) } + [([], ["none"]), ([], [""]), ([1, 3, 5], ["SEA", "1"])]
        for (threads, tags) in filters {
            let query = HybridQuery(
                text: "word", mode: .keyword, filter: Filter(threads: threads, tags: tags), limit: 100)
            let result = try index.searchNow(query)
            let expected = model.ids(threads: threads, tags: tags)
            #expect(result.hits.map(\.id).sorted() == expected, "threads \(threads), tags \(tags)")
            #expect(result.filterMatched == expected.count)
        }
    }

    @Test(arguments: 0..<4) func `filters follow every change, before and after the index is a file`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let folder = try TemporaryFolder()
        var index = HybridIndex(dimensions: nil)
        var model = ExpectedLabels()
        for _ in 0..<3 {
            for _ in 0..<4 {
                try change(index, &model, &random)
                try check(index, model)
            }
            let stamp = IndexStamp(source: "s", cursor: 1)
            try index.image.write(to: folder.path, stamp: stamp)
            index = try HybridIndex.open(path: folder.path).index
            try check(index, model)
        }
    }

    @Test func `a thread and a tag must both hold, and either of several suffices`() throws {
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = [
            RetrievalDocument(id: 1, title: "", text: "word", threads: [7, 8], tags: ["x"]),
            RetrievalDocument(id: 2, title: "", text: "word", threads: [8], tags: ["y"]),
            RetrievalDocument(id: 3, title: "", text: "word", tags: ["X", "y", "7"]),
        ]
        try index.apply(update)
        func ids(_ filter: Filter) throws -> Set<Int64> {
            Set(try index.searchNow(HybridQuery(text: "word", mode: .keyword, filter: filter)).hits.map(\.id))
        }
        #expect(try ids(Filter(threads: [8])) == [1, 2])
        #expect(try ids(Filter(threads: [7, 8])) == [1, 2])
        // A tag is not a thread, whatever it looks like.
        #expect(try ids(Filter(threads: [7])) == [1])
        #expect(try ids(Filter(tags: ["7"])) == [3])
        #expect(try ids(Filter(tags: ["x"])) == [1, 3])
        #expect(try ids(Filter(threads: [8], tags: ["Y"])) == [2])
        #expect(try ids(Filter(threads: [8], tags: ["none"])).isEmpty)
    }

    @Test func `labels that do not fit their documents are refused`() {
        #expect(Memberships(labels: [], ends: [], documents: 0) != nil)
        #expect(Memberships(labels: [5, 6], ends: [0, 2, 2], documents: 3) != nil)
        #expect(Memberships(labels: [5, 6], ends: [0, 2, 2], documents: 2) == nil)
        #expect(Memberships(labels: [5, 6], ends: [0, 2], documents: 3) == nil)
        #expect(Memberships(labels: [5, 6], ends: [0, 1, 1], documents: 3) == nil)
        #expect(Memberships(labels: [5, 6], ends: [3, 1, 2], documents: 3) == nil)
        #expect(Memberships(labels: [5, 6], ends: [-1, 1, 2], documents: 3) == nil)
        #expect(Memberships(labels: [1], ends: [], documents: 0) == nil)
    }

    @Test func `a change goes before what the file says`() throws {
        var memberships = try #require(Memberships(labels: [1, 2, 2], ends: [1, 1, 3], documents: 3))
        func members(_ codes: Set<Int32>) -> [Int] {
            let members = memberships.members(of: codes, among: 5)
            return (0..<5).filter { members[$0] }
        }
        #expect(members([2]) == [2])
        #expect(members([1, 2]) == [0, 2])
        #expect(members([]).isEmpty)
        memberships.set([], at: 0)
        memberships.set([2], at: 1)
        memberships.set([1, 2], at: 4)
        #expect(members([1]) == [4])
        #expect(members([2]) == [1, 2, 4])
        #expect(memberships.labels(of: 0).isEmpty)
        #expect(Array(memberships.labels(of: 2)) == [2, 2])
        #expect(memberships.labels(of: 3).isEmpty)
        memberships.set([], at: 4)
        #expect(members([1]).isEmpty)
    }
}
