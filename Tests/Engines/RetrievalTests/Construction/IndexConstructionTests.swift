import Foundation
import TestSupport
import Testing

@testable import Retrieval

/// Index files that were built part by part, against indexes that were changed note by note.
@Suite struct IndexConstructions {
    static let limits = IndexConstruction.Limits(documents: 7, bytes: 1 << 20)

    let folder: TemporaryFolder
    let stamp = IndexStamp(source: "source", cursor: 9)

    init() throws { folder = try TemporaryFolder() }

    func construction(_ dimensions: Int? = 12, source: String = "source") throws -> IndexConstruction {
        try #require(
            try IndexConstruction(path: folder.path, dimensions: dimensions, source: source, limits: Self.limits))
    }

    /// Updates by ascending ids, of a few documents each.
    func updates(_ world: inout RandomDocuments) -> [IndexUpdate] {
        var all = world.update(60)
        all.documents.sort { $0.id < $1.id }
        all.removedDocuments = []
        all.removedVectors = []
        return stride(from: 0, to: all.documents.count, by: 5).map { start in
            var update = IndexUpdate()
            update.documents = Array(all.documents[start..<min(all.documents.count, start + 5)])
            let ids = update.documents.map(\.id)
            update.vectors = all.vectors.filter { ids.contains($0.id) }.sorted { $0.id < $1.id }
            return update
        }
    }

    @Test(.slow, arguments: 0..<6) func `an index in parts answers as one that was changed document by document`(
        seed: UInt64
    )
        throws
    {
        let dimensions = seed == 5 ? nil : 12
        var world = RandomDocuments(seed: seed, dimensions: dimensions)
        let memory = HybridIndex(dimensions: dimensions)
        let construction = try construction(dimensions)
        for update in updates(&world) {
            try memory.apply(update)
            try construction.add(update, cursor: 9)
        }
        try construction.finish(stamp: stamp)
        let (opened, found) = try HybridIndex.open(path: folder.path)
        #expect(found == stamp)
        #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(memory))
        for id in world.ids { #expect(opened.vector(of: id) == memory.vector(of: id)) }
        #expect(opened.statistics.rows == memory.statistics.rows)
        // The same bytes, but for how rows and vocabularies are ordered: so the file behaves as any other one.
        for _ in 0..<3 {
            let update = world.update(20)
            try memory.apply(update)
            try opened.apply(update)
            #expect(try RandomDocuments.answers(opened) == RandomDocuments.answers(memory))
        }
        #expect(try folder.names == ["index", "index.lock"])
    }

    @Test func `a construction that was left continues after its last complete part`() throws {
        var world = RandomDocuments(seed: 11)
        let memory = HybridIndex(dimensions: 12)
        let all = updates(&world)
        for update in all { try memory.apply(update) }
        for stop in [1, 4, 8] {
            do {
                let first = try construction()
                #expect(first.lastID == nil)
                for update in all.prefix(stop) { try first.add(update, cursor: 3) }
            }
            // A torn part, and vectors behind the last complete one.
            try Data([1, 2, 3]).write(to: folder.url.appending(path: "index.new.99"))
            let file = try FileHandle(forUpdating: folder.url.appending(path: "index.new"))
            try file.seekToEnd()
            try file.write(contentsOf: Data(repeating: 7, count: 10_000))
            try file.close()
            let second = try construction()
            let last = second.lastID ?? .min
            #expect((second.lastID != nil) == (stop > 1))
            if stop > 1 { #expect(second.cursor == 3) }
            for var update in all {
                update.documents.removeAll { second.lastID != nil && $0.id <= last }
                update.vectors.removeAll { second.lastID != nil && $0.id <= last }
                try second.add(update, cursor: 5)
            }
            try second.finish(stamp: stamp)
            #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == RandomDocuments.answers(memory))
            #expect(try folder.names == ["index", "index.lock"])
        }
    }

    @Test func `parts of another source, or of other dimensions, are dropped`() throws {
        var world = RandomDocuments(seed: 12)
        let all = updates(&world)
        func begin(_ source: String) throws {
            let first = try construction(source: source)
            for update in all { try first.add(update, cursor: 3) }
        }
        try begin("another")
        #expect(try construction().lastID == nil)
        try begin("source")
        #expect(try construction(5).lastID == nil)
        try begin("source")
        let third = try construction()
        #expect(third.lastID != nil)
        third.discard()
        #expect(try folder.names == ["index.lock"])
    }

    @Test func `a part is no index file, and only one process builds`() throws {
        var world = RandomDocuments(seed: 13)
        let first = try construction()
        for update in updates(&world) { try first.add(update, cursor: 3) }
        #expect(try IndexConstruction(path: folder.path, dimensions: 12, source: "source") == nil)
        #expect(try HybridIndex(dimensions: 12).image.write(to: folder.path, stamp: stamp) == false)
        try first.endPart(cursor: 3)
        try first.finish(stamp: stamp)
        #expect(try RandomDocuments.open(folder.path).statistics.documents > 0)
    }

    @Test func `a document with an unusable vector is indexed without one`() throws {
        let construction = try construction(2)
        var update = IndexUpdate()
        let vectors: [[Float]] = [[1, 2], [0, 0], [.nan, 1], [1e30, 1e30], [1e-30, 0], [1, 2, 3], [1, 0, 0, 0]]
        for (id, values) in vectors.enumerated() {
            update.documents.append(RetrievalDocument(id: Int64(id), title: "", text: "word"))
            update.vectors.append(VectorEntry(id: Int64(id), values: values, passages: id == 6 ? 2 : 1))
        }
        try construction.add(update, cursor: 1)
        try construction.finish(stamp: stamp)
        let index = try RandomDocuments.open(folder.path)
        #expect(index.statistics.documents == 7)
        #expect(index.statistics.vectors == 3)
        #expect((0..<7).filter { index.vector(of: $0) != nil } == [0, 3, 4])
    }

    @Test func `nothing at all is an empty index`() throws {
        try construction().finish(stamp: stamp)
        #expect(try RandomDocuments.open(folder.path).statistics.documents == 0)
    }
}
