import Foundation
import GRDB
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite struct EmbeddingCacheFiles {
    /// A clock that is set by hand.
    final class Clock: Sendable {
        let seconds = Mutex<Int64>(1_000_000)
        func advance(_ by: Int64) { seconds.withLock { $0 += by } }
    }

    func key(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) } + [UInt8](repeating: 7, count: 24)
    }

    func code(_ body: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test func `vectors come back bit for bit, after a restart too`() async throws {
        let folder = try TemporaryDatabase()
        let path = folder.path + ".cache"
        let vector: [Float] = [1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]
        for round in 0..<2 {
            let file = try EmbeddingCacheFile(path: path)
            if round == 0 { try await file.store([key(1): vector, key(2): []]) }
            let found = try await file.vectors(for: [key(1), key(2), key(3)])
            #expect(found[key(1)]?.map(\.bitPattern) == vector.map(\.bitPattern))
            #expect(found[key(2)] == [])
            #expect(found.count == 2)
            try await file.store([key(1): vector])
            #expect(try await file.size() == .init(entries: 2, bytes: 20 + 2 * EmbeddingCacheFile.overhead))
            try file.close()
        }
    }

    @Test func `the size holds, and what was not used for longest goes, a tenth at once`() async throws {
        let folder = try TemporaryDatabase()
        let clock = Clock()
        let each = 400 + EmbeddingCacheFile.overhead
        let file = try EmbeddingCacheFile(path: folder.path + ".cache", maxBytes: 100 * each) {
            clock.seconds.withLock { $0 }
        }
        let vector = [Float](repeating: 1, count: 100)
        for number in 0..<100 {
            clock.advance(100)
            let (_, evicted) = try await file.store([key(number): vector])
            #expect(evicted == 0)
        }
        clock.advance(100)
        try await file.store([:], used: Set((0..<5).map(key)))
        clock.advance(100)
        let (size, evicted) = try await file.store([key(100): vector])
        #expect(evicted == 11)
        #expect(size == .init(entries: 90, bytes: 90 * each))
        let left = try await file.vectors(for: (0...100).map(key))
        #expect(Set(left.keys) == Set(((0..<5) + Array(16...100)).map(key)))
        for number in 200..<500 { #expect(try await file.store([key(number): vector]).size.bytes <= 100 * each) }
        try file.close()
    }

    @Test func `the size that is kept is the size that is counted, whoever writes`() async throws {
        let folder = try TemporaryDatabase()
        let path = folder.path + ".cache"
        let files = [
            try EmbeddingCacheFile(path: path, maxBytes: 40_000), try EmbeddingCacheFile(path: path, maxBytes: 40_000),
        ]
        let other = try DatabaseQueue(path: path)
        var random = SeededGenerator(5)
        for round in 0..<300 {
            var rows: [[UInt8]: [Float]] = [:]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                rows[key(Int.random(in: 0..<150, using: &random))] = Array(
                    repeating: 1, count: Int.random(in: 0...100, using: &random))
            }
            let size = try await files[Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0].store(rows).size
            #expect(try await files[0].size() == size)
            if round % 50 == 7 {
                try await other.write { try $0.execute(sql: "DELETE FROM embedding WHERE id % 3 = 0") }
            }
        }
        // A write that fails changes nothing, and is not counted.
        try await other.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER refuse AFTER INSERT ON embedding WHEN NEW.bytes = 4 + \(EmbeddingCacheFile.overhead)
                    BEGIN SELECT RAISE(ABORT, 'no'); END
                    """)
        }
        let before = try await files[0].store([key(1): [1, 2]]).size
        await #expect(throws: StorageError.self) { try await files[0].store([key(2): [1, 2], key(500): [1]]) }
        #expect(try await files[0].store([key(1): [1, 2]]).size == before)
        for file in files { try file.close() }
        try other.close()
    }

    @Test func `a use that is noted already writes nothing`() async throws {
        let folder = try TemporaryDatabase()
        let clock = Clock()
        let file = try EmbeddingCacheFile(path: folder.path + ".cache", maxBytes: 1 << 20) {
            clock.seconds.withLock { $0 }
        }
        let reader = try DatabaseQueue(path: folder.path + ".cache")
        func used() async throws -> Int64? {
            try await reader.read { try Int64.fetchOne($0, sql: "SELECT used FROM embedding") }
        }
        try await file.store([key(1): [1]])
        for (pause, expected) in [(30, 1_000_000), (31, 1_000_061)] as [(Int64, Int64)] {
            clock.advance(pause)
            try await file.store([:], used: [key(1)])
            #expect(try await used() == expected)
        }
        try file.close()
    }

    @Test func `two that have the file open see each other's vectors`() async throws {
        let folder = try TemporaryDatabase()
        let path = folder.path + ".cache"
        let (one, other) = (try EmbeddingCacheFile(path: path), try EmbeddingCacheFile(path: path))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let file = number.isMultiple(of: 2) ? one : other
                let row = [key(number): [Float(number)]]
                group.addTask { _ = try await file.store(row) }
            }
            try await group.waitForAll()
        }
        #expect(try await one.vectors(for: (0..<40).map(key)).count == 40)
        #expect(try await other.size().entries == 40)
        try one.close()
        try other.close()
    }

    @Test func `a file that is damaged, foreign or of another version is refused and left as it is`() async throws {
        let folder = try TemporaryDatabase()
        let path = folder.path + ".cache"
        let garbage = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try garbage.write(to: URL(filePath: path))
        #expect(await code { _ = try EmbeddingCacheFile(path: path) } == .corrupt)
        #expect(try Data(contentsOf: URL(filePath: path)) == garbage)

        try folder.open().close()
        #expect(await code { _ = try EmbeddingCacheFile(path: folder.path) } == .invalid)
        _ = try folder.open().close()

        try FileManager.default.removeItem(atPath: path)
        try EmbeddingCacheFile(path: path).close()
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 9") }
        #expect(await code { _ = try EmbeddingCacheFile(path: path) } == .invalid)
        #expect(await code { _ = try EmbeddingCacheFile(path: folder.folder.path) } == .cannotOpen)
    }
}
