import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// Index files that were cut, mixed up or written by something else: refused, or as good as whole.
@Suite struct DamagedIndexFiles {
    /// What a search reads as it goes, and what is therefore not checked when a file is opened.
    static let payload: Set<IndexFile.Section> = [.vectors, .text, .byteCodes, .bitCodes]

    let folder: TemporaryFolder
    let bytes: Data
    let header: IndexFile.Header
    let answers: [String]

    init() throws {
        folder = try TemporaryFolder()
        var world = RandomDocuments(seed: 1)
        let index = try world.index()
        index.encodeRows(for: [.int8]) { _, _ in }
        index.state.withLock {
            $0.snapshot.tuning = VectorTuning(
                plan: .int8, candidates: 40, recallAt10: 1, sample: 9, speedup: 2, measuredAt: 3)
        }
        try RandomDocuments.write(index, to: folder.path)
        bytes = try Data(contentsOf: folder.url.appending(path: "index"))
        header = try IndexFile.header(of: Region(MappedFile(folder.path)))
        answers = try RandomDocuments.answers(index)
    }

    /// The answers of the index in some bytes; nil when they are refused.
    func answers(_ bytes: Data) throws -> [String]? {
        try write(bytes)
        do {
            let index = try RandomDocuments.open(folder.path("damaged"))
            let answers = try RandomDocuments.answers(index)
            _ = RandomDocuments(seed: 1).ids.map(index.vector(of:))
            return answers
        } catch let error as RetrievalError {
            #expect(error.code == .indexFile)
            return nil
        }
    }

    /// Writes bytes with the time that the header of the whole file names, so that only the bytes tell.
    func write(_ bytes: Data) throws {
        try bytes.write(to: folder.url.appending(path: "damaged"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(header.writtenAt))],
            ofItemAtPath: folder.path("damaged"))
    }

    @Test func `a file that is cut anywhere, or longer than it says, is refused`() throws {
        #expect(try answers(bytes) == answers)
        var lengths: Set<Int> = [0, 1, 7, 8, 12, 16, 24, 32, 63, 64, 65, 100, 4095, 4096, 4097]
        for place in header.sections.values {
            for end in [place[0], place[0] + place[1]] { lengths.formUnion([end - 1, end, end + 1]) }
        }
        lengths.formUnion([bytes.count - 4096, bytes.count - 1])
        for length in lengths.sorted() where length < bytes.count {
            #expect(try answers(bytes.prefix(length)) == nil, "\(length) bytes")
        }
        #expect(try answers(bytes + [0]) == nil)
        #expect(try answers(bytes + bytes) == nil)
    }

    @Test(.slow) func `a changed byte of the preamble or the header is refused unless it means nothing`() throws {
        var random = SeededGenerator(2)
        let start = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) })
        let meant = Set(Array(0..<12) + Array(16..<40) + Array(start..<bytes.count))
        let places =
            Array(0..<64) + (0..<50).map { _ in Int.random(in: 64..<4096, using: &random) }
            + (0..<100).map { _ in Int.random(in: start..<bytes.count, using: &random) }
        for place in places {
            var changed = bytes
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(try answers(changed) == (meant.contains(place) ? nil : answers), "byte \(place)")
        }
    }

    @Test(.slow, arguments: IndexFile.Section.allCases.filter { !payload.contains($0) })
    func `a changed byte of a table is noticed`(section: IndexFile.Section) throws {
        var random = SeededGenerator(3)
        // There is one plan's codes in a file.
        guard let place = header.sections[section.rawValue] else {
            return #expect(section == .bitFactors)
        }
        for number in 0..<14 {
            var changed = bytes
            let offset = number == 0 ? 0 : number == 1 ? place[1] - 1 : Int.random(in: 0..<place[1], using: &random)
            changed[place[0] + offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(try answers(changed) == nil, "byte \(offset)")
        }
    }

    @Test(.slow, arguments: payload.sorted { $0.rawValue < $1.rawValue })
    func `a changed byte of vectors, codes or text changes answers at most`(section: IndexFile.Section) throws {
        var random = SeededGenerator(4)
        guard let place = header.sections[section.rawValue] else { return #expect(section == .bitCodes) }
        for number in 0..<60 {
            var changed = bytes
            for _ in 0...number % 4 {
                let offset = Int.random(in: 0..<place[1], using: &random)
                changed[place[0] + offset] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try answers(changed)
        }
    }

    @Test func `what lies between sections means nothing`() throws {
        var random = SeededGenerator(5)
        let start = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) })
        let used = header.sections.values.map { $0[0]..<$0[0] + $0[1] }
        var changed = bytes
        for place in 64..<start where !used.contains(where: { $0.contains(place) }) {
            changed[place] = UInt8.random(in: 0...255, using: &random)
        }
        #expect(changed != bytes)
        #expect(try answers(changed) == answers)
    }

    /// Rows that are no numbers, in a file that is whole otherwise.
    @Test func `an index with damaged vectors answers, changes and is written`() throws {
        var random = SeededGenerator(6)
        let place = try #require(header.sections[IndexFile.Section.vectors.rawValue])
        for value in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 0] {
            var changed = bytes
            for offset in stride(from: 0, to: place[1], by: 4) where Int.random(in: 0..<20, using: &random) == 0 {
                changed.replaceSubrange(
                    place[0] + offset..<place[0] + offset + 4, with: withUnsafeBytes(of: value) { Data($0) })
            }
            #expect(try answers(changed) != nil)
            let index = try RandomDocuments.open(folder.path("damaged"))
            for plan in VectorPlan.allCases {
                index.encodeRows(for: [plan]) { _, _ in }
                var query = HybridQuery(text: "w1 w2", vector: random.vector(12), limit: 50)
                (query.plan, query.diversity) = (plan, 0.5)
                #expect(try !index.searchNow(query).hits.isEmpty)
            }
            var world = RandomDocuments(seed: 7)
            try index.apply(world.update(20))
            for plan in [VectorPlan.int8, .binary] {
                index.encodeRows(for: [plan]) { _, _ in }
                index.state.withLock { $0.snapshot.tuning?.plan = plan.rawValue }
                // A mean that is not finite cannot be written down; the file that is there stays.
                do {
                    try RandomDocuments.write(index, to: folder.path("written"))
                } catch {
                    #expect(error is RetrievalError)
                    #expect(plan == .binary)
                }
                _ = try RandomDocuments.answers(RandomDocuments.open(folder.path("written")))
            }
        }
    }

    @Test(.slow) func `files made of pieces of a good one are refused or answer`() throws {
        var random = SeededGenerator(8)
        for _ in 0..<60 {
            var changed = bytes
            let length = Int.random(in: 1...5000, using: &random)
            let from = Int.random(in: 0..<bytes.count - length, using: &random)
            let to = Int.random(in: 0..<bytes.count - length, using: &random)
            changed.replaceSubrange(to..<to + length, with: bytes[from..<from + length])
            _ = try answers(changed)
        }
    }
}
