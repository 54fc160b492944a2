import Foundation
import TestSupport
import Testing

@testable import Evaluation

/// Files come from anywhere: whatever stands in them, reading ends with a value or an `EvaluationError`.
struct DamagedFileTests {
    private static let samples: [(name: String, data: Data)] = [
        (
            "corpus.jsonl",
            Data("{\"_id\":\"d1\",\"title\":\"é\",\"text\":\"x\"}\r\n{\"id\":7,\"content\":\"y\"}\n".utf8)
        ),
        ("topics", Data("<top>\n<num> Number: 1\n<title> a &amp; b\n<desc> c\n</top>\n".utf8)),
        ("qrels", Data("1 0 d1 1\n1 0 7 0\n".utf8)),
        ("run", Data("1 Q0 d1 1 0.5 tag\n1 Q0 7 2 0.25 tag\n".utf8)),
        (
            "a_docs.npy",
            Data([0x93]) + Data("NUMPY\u{1}\u{0}\u{40}\u{0}".utf8)
                + Data("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }     \n".utf8.prefix(64))
                + Data(count: 8)
        ),
        ("docs_ids.txt", Data("d1\n7\n".utf8)),
    ]

    private func read(_ folder: URL) throws {
        _ = try EvaluationCollection.load(folder)
        _ = try RankedRun(contentsOf: folder.appending(path: "run"))
        _ = try ReadyVectors(
            npy: folder.appending(path: "a_docs.npy"), ids: folder.appending(path: "docs_ids.txt"))
    }

    private func write(_ folder: TemporaryFolder) throws {
        for sample in Self.samples { try folder.write(sample.name, sample.data) }
    }

    @Test func `the samples are whole`() throws {
        let folder = try TemporaryFolder()
        try write(folder)
        #expect(message { try read(folder.url) } == "")
    }

    @Test(.slow, arguments: 0..<samples.count)
    func `a damaged file is refused or read, and nothing else`(index: Int) throws {
        let folder = try TemporaryFolder()
        try write(folder)
        var random = SplitMix64(seed: UInt64(index))
        for _ in 0..<250 {
            var bytes = [UInt8](Self.samples[index].data)
            for _ in 0...random.next(below: 3) {
                let place = random.next(below: max(1, bytes.count))
                switch random.next(below: 4) {
                case 0: bytes.removeSubrange(min(place, bytes.count)...)
                case 1: bytes.insert(UInt8(random.next(below: 256)), at: min(place, bytes.count))
                case 2 where !bytes.isEmpty: bytes[place] = UInt8(random.next(below: 256))
                case 3 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(random.next(below: 8))
                default: break
                }
            }
            try folder.write(Self.samples[index].name, Data(bytes))
            #expect(!message { try read(folder.url) }.hasPrefix("another error"))
        }
    }
}
