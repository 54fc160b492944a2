import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@testable import Retrieval

/// How an index file comes to be, whatever else happens in its folder.
@Suite struct IndexFileWriting {
    let folder: TemporaryFolder
    let index: HybridIndex
    let answers: [String]

    init() throws {
        folder = try TemporaryFolder()
        var world = RandomDocuments(seed: 1)
        index = try world.index()
        answers = try RandomDocuments.answers(index)
    }

    func refusal(_ path: String) -> RetrievalError.Code? {
        let error = #expect(throws: RetrievalError.self) { try RandomDocuments.write(index, to: path) }
        return error?.code
    }

    @Test func `the folder is made, and nothing else stays in it`() throws {
        try RandomDocuments.write(index, to: folder.path("a/b/index"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b")).sorted() == ["index", "index.lock"])
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path("a/b/index"))) == answers)
        // The notes are in it: nobody else may read it.
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("a/b/index"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `what a crash left behind is ignored and overwritten`() throws {
        let half = Data("SELENEIX half a file".utf8)
        try half.write(to: folder.url.appending(path: "index.new"))
        try Data().write(to: folder.url.appending(path: "index.lock"))
        #expect(throws: RetrievalError.self) { try RandomDocuments.open(folder.path) }
        try RandomDocuments.write(index, to: folder.path)
        #expect(try folder.names == ["index", "index.lock"])
        // A longer one than the new file, beside a good file.
        try Data(repeating: 9, count: 2_000_000).write(to: folder.url.appending(path: "index.new"))
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
        try RandomDocuments.write(index, to: folder.path)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
        #expect(try folder.names == ["index", "index.lock"])
    }

    @Test func `while another writes nothing is written`() throws {
        let stamp = IndexStamp(source: "source", cursor: 1)
        let lock = try #require(try FileLock(path: folder.path + ".lock"))
        #expect(try FileLock(path: folder.path + ".lock") == nil)
        #expect(try index.image.write(to: folder.path, stamp: stamp) == false)
        #expect(try folder.names == ["index.lock"])
        // Another file is another lock.
        #expect(try index.image.write(to: folder.path("other"), stamp: stamp))
        lock.unlock()
        #expect(try index.image.write(to: folder.path, stamp: stamp))
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
    }

    @Test func `of several writers at once one at least succeeds, and the file is whole`() async throws {
        let path = folder.path
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for cursor in 0..<8 as Range<Int64> {
                group.addTask { [image = index.image] in
                    try image.write(to: path, stamp: IndexStamp(source: "source", cursor: cursor))
                }
            }
            var written = 0
            for try await isWritten in group { written += isWritten ? 1 : 0 }
            #expect(written >= 1)
        }
        #expect(try RandomDocuments.answers(RandomDocuments.open(path)) == answers)
        #expect(try folder.names == ["index", "index.lock"])
    }

    @Test func `an image is of one moment, whatever the index becomes`() throws {
        let image = index.image
        var removal = IndexUpdate()
        removal.removedDocuments = RandomDocuments(seed: 1).ids
        try index.apply(removal)
        try image.write(to: folder.path, stamp: IndexStamp(source: "source", cursor: 1))
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
        #expect(index.statistics.documents == 0)
    }

    @Test func `a folder that cannot be made or written to is an error`() throws {
        try Data().write(to: folder.url.appending(path: "file"))
        #expect(refusal(folder.path("file/index")) == .indexFile)
        #expect(refusal(folder.path("file/folder/index")) == .indexFile)
        // The name is a folder's: the finished file has nowhere to go, and is taken away.
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "index/inside"), withIntermediateDirectories: true)
        #expect(refusal(folder.path) == .indexFile)
        #expect(try folder.names == ["file", "index", "index.lock"])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no full disk to offer"))
    func `a full disk is an error`() throws {
        let file = DurableFile(path: "/dev/full", descriptor: open("/dev/full", O_WRONLY | O_CLOEXEC))
        defer { file.close() }
        let error = #expect(throws: RetrievalError.self) { try file.write(Data([1])) }
        #expect(error?.code == .indexFile)
    }

    @Test func `a temporary file that cannot be made is an error, and the old file stays`() throws {
        try RandomDocuments.write(index, to: folder.path)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "index.new/inside"), withIntermediateDirectories: true)
        #expect(refusal(folder.path) == .indexFile)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
    }

    @Test func `links in a shared folder lead nowhere`() throws {
        let victim = folder.url.appending(path: "victim")
        try Data("mine".utf8).write(to: victim)
        try FileManager.default.createSymbolicLink(atPath: folder.path + ".new", withDestinationPath: victim.path)
        try RandomDocuments.write(index, to: folder.path)
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.type] as? FileAttributeType == .typeRegular)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
        // A lock through a link would create or hold somebody else's file.
        let other = folder.path("other")
        try FileManager.default.createSymbolicLink(atPath: other + ".lock", withDestinationPath: folder.path("made"))
        #expect(refusal(other) == .indexFile)
        #expect(try !folder.names.contains("made"))
    }

    @Test func `a header that cannot be written down is an error, and the old file stays`() throws {
        try RandomDocuments.write(index, to: folder.path)
        index.state.withLock {
            $0.snapshot.tuning = VectorTuning(
                plan: .int8, candidates: 1, recallAt10: 1, sample: 1, speedup: .infinity, measuredAt: 1)
        }
        #expect(refusal(folder.path) == .indexFile)
        #expect(try RandomDocuments.answers(RandomDocuments.open(folder.path)) == answers)
        #expect(try folder.names == ["index", "index.lock"])
    }

    /// Names of types and threads make the header long, and the sections begin behind it.
    @Test func `a long header moves the sections`() throws {
        let index = HybridIndex(dimensions: 3)
        var update = IndexUpdate()
        for id in Int64(0)..<900 {
            update.documents.append(
                RetrievalDocument(
                    id: id, title: "", text: "word", noteType: "type number \(id)", threads: [id * 1_000_000_007],
                    tags: ["tag \"\(id)\" \u{1F3BB}"]))
            update.vectors.append(VectorEntry(id: id, values: [1, 2, Float(id)]))
        }
        try index.apply(update)
        try RandomDocuments.write(index, to: folder.path)
        let opened = try RandomDocuments.open(folder.path)
        for id in [0, 1, 450, 899] as [Int64] {
            for filter in [
                Filter(noteTypes: ["TYPE number \(id)"]), Filter(threads: [id * 1_000_000_007]),
                Filter(tags: ["tag \"\(id)\" \u{1F3BB}"]),
            ] {
                let query = HybridQuery(text: "word", vector: [1, 0, 0], filter: filter)
                #expect(try opened.searchNow(query).hits.map(\.id) == [id])
            }
        }
    }
}
