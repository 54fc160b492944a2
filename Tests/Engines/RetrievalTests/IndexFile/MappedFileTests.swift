import CMappedFile
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retrieval

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Index files that are cut or overwritten while an index reads from them: the process goes on, and no search answers with
/// what is no longer there.
@Suite struct MappedFiles {
    /// What is done to a file in place.
    enum Damage: CaseIterable {
        case emptied, halved, cutToOnePage, overwritten, oneByte, emptiedAndWrittenAgain

        func happen(to path: String) throws {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            defer { try? file.close() }
            let count = try file.seekToEnd()
            switch self {
            case .emptied: try file.truncate(atOffset: 0)
            case .halved: try file.truncate(atOffset: count / 2)
            case .cutToOnePage: try file.truncate(atOffset: 4096)
            case .overwritten:
                try file.seek(toOffset: 0)
                try file.write(contentsOf: Data(repeating: 0xA5, count: Int(count)))
            case .oneByte:
                try file.seek(toOffset: count - 6000)
                try file.write(contentsOf: Data([0xFF]))
            case .emptiedAndWrittenAgain:
                try file.seek(toOffset: 0)
                let bytes = try file.readToEnd() ?? Data()
                try file.truncate(atOffset: 0)
                try file.seek(toOffset: 0)
                try file.write(contentsOf: bytes)
            }
        }
    }

    /// Counts from several tasks.
    final class Count: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    let folder: TemporaryFolder
    let answers: [String]

    init() throws {
        folder = try TemporaryFolder()
        // Some hundred pages of text, vectors and codes.
        var world = RandomDocuments(seed: 31, dimensions: 48, documents: 1500)
        let index = HybridIndex(dimensions: 48)
        for _ in 0..<3 { try index.apply(world.update(1000)) }
        index.encodeRows(for: [.int8]) { _, _ in }
        index.state.withLock {
            $0.snapshot.tuning = VectorTuning(
                plan: .int8, candidates: 40, recallAt10: 1, sample: 9, speedup: 2, measuredAt: 3)
        }
        try RandomDocuments.write(index, to: folder.path)
        answers = try RandomDocuments.answers(index)
    }

    static func isDamaged(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return (error as? RetrievalError)?.code == .damaged
        }
    }

    @Test(.slow, arguments: Damage.allCases) func `an index whose file is changed answers nothing more`(
        damage: Damage
    ) async throws {
        let index = try RandomDocuments.open(folder.path)
        #expect(try RandomDocuments.answers(index) == answers)
        #expect(index.isIntact)
        try damage.happen(to: folder.path)
        for plan in VectorPlan.allCases {
            #expect(Self.isDamaged { _ = try RandomDocuments.answers(index, plan: plan) }, "\(plan)")
        }
        #expect(!index.isIntact)
        // Whatever reads from the mapping goes on, and nothing that is derived from it leaves the index.
        _ = RandomDocuments(seed: 31, documents: 1500).ids.map(index.vector(of:))
        _ = index.readMatrix()
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        let pairs = await #expect(throws: RetrievalError.self) { try await index.nearPairs(NearPairOptions()) { _ in } }
        #expect(pairs?.code == .damaged)
        #expect(Self.isDamaged { try RandomDocuments.write(index, to: folder.path("written")) })
        #expect(try folder.names == ["index", "index.lock", "written.lock"])
        #expect(throws: RetrievalError.self) { try RandomDocuments.open(folder.path) }
    }

    @Test(.slow, arguments: Damage.allCases) func `changes of an index whose file is changed do not end the process`(
        damage: Damage
    ) throws {
        let index = try RandomDocuments.open(folder.path)
        try damage.happen(to: folder.path)
        var world = RandomDocuments(seed: 31, dimensions: 48, documents: 1500)
        // More than a quarter of the rows change, so segments are merged with what the file still holds.
        for _ in 0..<12 { try index.apply(world.update(120)) }
        #expect(Self.isDamaged { _ = try RandomDocuments.answers(index) })
    }

    @Test(.slow, arguments: [Damage.emptied, .halved, .overwritten])
    func `a search meanwhile answers right or not at all`(
        damage: Damage
    ) async throws {
        let index = try RandomDocuments.open(folder.path)
        let searches = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask { [answers, index, searches] in
                    while true {
                        let isDamaged = MappedFiles.isDamaged {
                            let found = try RandomDocuments.answers(index)
                            #expect(found == answers)
                        }
                        searches.add()
                        if isDamaged { return }
                        // A search blocks its thread, and there may be no more threads than searches.
                        await Task.yield()
                    }
                }
            }
            while searches.value < 3 { await Task.yield() }
            try damage.happen(to: folder.path)
            try await group.waitForAll()
        }
        #expect(!index.isIntact)
    }

    @Test func `a file that only got another name or owner's permissions stays in use`() throws {
        let index = try RandomDocuments.open(folder.path)
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path("moved"))
        #expect(chmod(folder.path("moved"), 0o640) == 0)
        #expect(try RandomDocuments.answers(index) == answers)
        try FileManager.default.removeItem(atPath: folder.path("moved"))
        #expect(try RandomDocuments.answers(index) == answers)
    }

    @Test func `a pipe or a folder of that name is refused without waiting`() throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(throws: RetrievalError.self) { try MappedFile(folder.path("pipe")) }
        #expect(throws: RetrievalError.self) { try MappedFile(folder.url.path) }
    }

    @Test func `mappings beyond the table's size are refused, and released ones make room`() throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
        defer { memory.deallocate() }
        for _ in 0..<3 {
            var slots: [Int32] = []
            while slots.count < 2000, case let slot = selene_mapping_guard(memory.baseAddress, 64), slot >= 0 {
                slots.append(slot)
            }
            #expect((500...1024).contains(slots.count))
            #expect(Set(slots).count == slots.count)
            #expect(throws: RetrievalError.self) { try MappedFile(folder.path) }
            slots.forEach(selene_mapping_release)
        }
        #expect(try MappedFile(folder.path).isIntact)
    }

    @Test func `a SIGBUS of another mapping ends the process as it would have without the guard`() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            let folder = try TemporaryFolder()
            try Data(repeating: 1, count: 16384).write(to: URL(filePath: folder.path))
            let guarded = try MappedFile(folder.path)
            let descriptor = open(folder.path, O_RDWR)
            let foreign = mmap(nil, 16384, PROT_READ, MAP_SHARED, descriptor, 0)
            ftruncate(descriptor, 0)
            // The guarded mapping reads as zeros, the other one ends the process.
            let zero = guarded.base.load(fromByteOffset: 9000, as: UInt8.self)
            precondition(zero == 0 && !guarded.isIntact)
            _ = foreign?.load(fromByteOffset: 9000, as: UInt8.self)
        }
    }
}
