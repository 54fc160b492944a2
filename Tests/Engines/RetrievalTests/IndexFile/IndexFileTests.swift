import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// What an index answers after it was written to a file and opened again.
@Suite struct IndexFiles {
    @Test(arguments: 0..<5) func `an index that is opened answers as the one that was written`(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var world = RandomDocuments(seed: seed)
        let index = try world.index()
        #expect(try index.image.write(to: folder.path, stamp: IndexStamp(source: "source", cursor: -7)))
        let (opened, stamp) = try HybridIndex.open(path: folder.path)
        #expect(stamp == IndexStamp(source: "source", cursor: -7))
        #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(index))
        let (before, after) = (index.statistics, opened.statistics)
        #expect(after.documents == before.documents)
        #expect(after.vectors <= before.vectors)
        #expect(after.dimensions == 12)
        #expect(after.matrixBytes == after.rows * 12 * 4)
        #expect(after.documentsBeyondFile == 0)
        for id in world.ids { #expect(opened.vector(of: id) == index.vector(of: id)) }
        // The same index gives the same bytes at the same time.
        for (name, source) in [("first", index), ("again", opened)] {
            #expect(try source.image.write(to: folder.path(name), stamp: stamp, at: 1_800_000_001))
        }
        #expect(
            try Data(contentsOf: folder.url.appending(path: "first"))
                == Data(contentsOf: folder.url.appending(path: "again")))
    }

    @Test(.slow, arguments: 0..<5) func `changes of an opened index are as those of one in memory, and are written`(
        seed: UInt64
    )
        throws
    {
        let folder = try TemporaryFolder()
        var world = RandomDocuments(seed: seed + 10)
        let memory = try world.index()
        var opened = memory
        for round in 0..<4 {
            try RandomDocuments.write(opened, to: folder.path)
            opened = try RandomDocuments.open(folder.path)
            for _ in 0...round {
                let update = world.update(20)
                try memory.apply(update)
                try opened.apply(update)
                #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(memory))
                for id in world.ids { #expect(opened.vector(of: id) == memory.vector(of: id)) }
            }
            #expect(opened.statistics.documentsBeyondFile > 0)
            #expect(opened.statistics.documents == memory.statistics.documents)
        }
    }

    @Test(arguments: [nil, 8]) func `an empty index is written, opened and filled`(dimensions: Int?) throws {
        let folder = try TemporaryFolder()
        try RandomDocuments.write(HybridIndex(dimensions: dimensions), to: folder.path)
        let opened = try RandomDocuments.open(folder.path)
        #expect(opened.statistics == HybridIndex(dimensions: dimensions).statistics)
        #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(HybridIndex(dimensions: dimensions)))
        var world = RandomDocuments(seed: 20, dimensions: dimensions)
        let memory = HybridIndex(dimensions: dimensions)
        let update = world.update(40)
        try memory.apply(update)
        try opened.apply(update)
        #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(memory))
        // And emptied again.
        var removal = IndexUpdate()
        removal.removedDocuments = world.ids
        try opened.apply(removal)
        try RandomDocuments.write(opened, to: folder.path)
        #expect(try RandomDocuments.open(folder.path).statistics.documents == 0)
    }

    @Test func `documents without a space, or without vectors yet, are written`() throws {
        let folder = try TemporaryFolder()
        var world = RandomDocuments(seed: 21, dimensions: nil)
        let texts = try world.index()
        try RandomDocuments.write(texts, to: folder.path)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == RandomDocuments.answers(texts))
        // The same documents in a space: their vectors come after the file.
        let memory = HybridIndex(dimensions: 5)
        var update = world.update(60)
        try memory.apply(update)
        try RandomDocuments.write(memory, to: folder.path)
        let opened = try RandomDocuments.open(folder.path)
        #expect(opened.statistics.dimensions == 5)
        #expect(opened.statistics.vectors == 0)
        update.vectors = update.documents.map { VectorEntry(id: $0.id, values: world.random.vector(5)) }
        update.documents = []
        try memory.apply(update)
        try opened.apply(update)
        #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(memory))
        #expect(opened.statistics.vectors == update.vectors.count)
    }

    @Test(arguments: [VectorPlan.int8, .binary]) func `codes and what was measured of them survive`(plan: VectorPlan)
        throws
    {
        let folder = try TemporaryFolder()
        var world = RandomDocuments(seed: 22)
        let index = try world.index()
        index.encodeRows(for: [plan]) { _, _ in }
        let tuning = VectorTuning(
            plan: plan, candidates: 15, recallAt10: 0.9975, sample: 200, speedup: 3.3, measuredAt: 1_700_000_000)
        index.state.withLock { $0.snapshot.tuning = tuning }
        try RandomDocuments.write(index, to: folder.path)
        let opened = try RandomDocuments.open(folder.path)
        #expect(opened.tuning == tuning)
        #expect(opened.availablePlans == [.exact, plan])
        #expect(opened.statistics.codeBytes > 0)
        let query = HybridQuery(text: "", vector: world.random.vector(12), mode: .vector)
        let result = try opened.searchNow(query)
        #expect(result.plan == plan)
        #expect(result.measuredRecall == 0.9975)
        for candidates in [nil, 5, 500] {
            #expect(
                try RandomDocuments.answers(opened, candidates: candidates)
                    == RandomDocuments.answers(index, candidates: candidates))
        }
        // Rows that came later have no codes until the index is written.
        let update = world.update(30)
        try index.apply(update)
        try opened.apply(update)
        try RandomDocuments.write(opened, to: folder.path)
        let again = try RandomDocuments.open(folder.path)
        let exact = try RandomDocuments.answers(index, plan: .exact)
        for one in [index, opened, again] { #expect(try RandomDocuments.answers(one, candidates: 500) == exact) }
        #expect(again.statistics.codeBytes < opened.statistics.codeBytes + 30 * 3 * 128)
        #expect(again.tuning == tuning)
        // Codes of a plan that is not used are not written.
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        index.state.withLock { $0.snapshot.tuning = nil }
        try RandomDocuments.write(index, to: folder.path)
        #expect(try RandomDocuments.open(folder.path).availablePlans == [.exact])
    }

    @Test func `no file, or something else than an index file, is refused`() throws {
        let folder = try TemporaryFolder()
        func code(_ path: String) -> RetrievalError.Code? {
            let error = #expect(throws: RetrievalError.self) { _ = try HybridIndex.open(path: path) }
            return error?.code
        }
        #expect(code(folder.path("missing")) == .indexFile)
        #expect(code(folder.url.path) == .indexFile)
        try Data(repeating: 7, count: 100_000).write(to: folder.url.appending(path: "noise"))
        #expect(code(folder.path("noise")) == .indexFile)
    }

    @Test func `a file that was changed in place or copied without its time is refused`() throws {
        let folder = try TemporaryFolder()
        var world = RandomDocuments(seed: 26)
        let index = try world.index()
        try RandomDocuments.write(index, to: folder.path)
        let answers = try RandomDocuments.answers(index)
        let bytes = try Data(contentsOf: URL(filePath: folder.path))
        let time = try #require(
            try FileManager.default.attributesOfItem(atPath: folder.path)[.modificationDate] as? Date)
        #expect(time.timeIntervalSince1970.truncatingRemainder(dividingBy: 2) == 0)
        try bytes.write(to: URL(filePath: folder.path("copy")))
        #expect(throws: RetrievalError.self) { try RandomDocuments.open(folder.path("copy")) }
        // Backups that keep times to the second are as good as the file.
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path("copy"))
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path("copy"))) == answers)
        let file = try FileHandle(forUpdating: URL(filePath: folder.path))
        try file.seek(toOffset: UInt64(bytes.count - 5000))
        try file.write(contentsOf: Data([1, 2, 3]))
        try file.close()
        #expect(throws: RetrievalError.self) { try RandomDocuments.open(folder.path) }
    }

    @Test func `an old file stays readable after it was replaced or deleted`() throws {
        let folder = try TemporaryFolder()
        var (world, other) = (RandomDocuments(seed: 24), RandomDocuments(seed: 25, documents: 10))
        let index = try world.index()
        index.encodeRows(for: [.int8]) { _, _ in }
        try RandomDocuments.write(index, to: folder.path)
        let expected = try RandomDocuments.answers(index)
        let old = try RandomDocuments.open(folder.path)
        try RandomDocuments.write(try other.index(), to: folder.path)
        #expect(try RandomDocuments.answers(old) == expected)
        let new = try RandomDocuments.open(folder.path)
        #expect(try RandomDocuments.answers(new) != expected)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(try RandomDocuments.answers(old) == expected)
        try RandomDocuments.write(old, to: folder.path)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == expected)
    }
}
