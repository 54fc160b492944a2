import TestSupport
import Testing

@testable import Retrieval
@testable import Text

@Suite struct KeywordSegments {
    static func region(_ bytes: [UInt8]) -> Region {
        Region(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    static func bytes(_ segment: KeywordSegment) -> [UInt8] { Array(segment.region.bytes) }

    func sample() throws -> KeywordSegment {
        let texts = [
            ("Tide tables", "The tides of the bay — “springs” and neaps, 50% off"), ("", ""),
            ("日本語", "日本の潮 tide_gauge"),
            ("Waves", "waving waves waved, c:\\temp it's"),
        ]
        return try SegmentBuilder.segment(
            of: texts.enumerated().map { ($0.offset, TextFolding.fold($0.element.0), TextFolding.fold($0.element.1)) })
    }

    func everything(_ index: KeywordIndex) -> [[KeywordIndex.Match]] {
        ["tide", "t", "日", "e ", "es a", "%", "_", "“", "waves waved", "\\"].map(TextFolding.fold).flatMap { pattern in
            ([nil] + KeywordPlan.allCases).map { index.matches(of: pattern, forcing: $0) }
        }
    }

    @Test func `bytes of a segment open as the same segment`() throws {
        let segment = try sample()
        let copy = try KeywordSegment(region: Self.region(Self.bytes(segment)))
        #expect(everything(try KeywordIndex(segment: copy)) == everything(try KeywordIndex(segment: segment)))
        for stem in ["tide", "wave", "spring", "日本", "absent"] {
            #expect(
                copy.entries(withStem: Array(stem.utf8)).map(\.entry)
                    == segment.entries(withStem: Array(stem.utf8)).map(\.entry))
        }
        #expect(copy.words == segment.words && copy.rows == 4)
        // What follows the segment in a file is not looked at.
        _ = try KeywordSegment(region: Self.region(Self.bytes(segment) + [1, 2, 3]))
    }

    @Test func `a merged segment is the one that is made at once`() throws {
        var random = SeededGenerator(9)
        let documents: [KeywordDocument] = (0..<40).map {
            ($0, KeywordIndices.text(3, &random), KeywordIndices.text(40, &random))
        }
        let whole = try SegmentBuilder.segment(of: documents)
        let parts = try [documents[20...], documents[..<7], documents[7..<20]].map {
            (segment: try SegmentBuilder.segment(of: Array($0)), dead: Bitmap?.none)
        }
        #expect(Self.bytes(try SegmentMerger.merged(parts)) == Self.bytes(whole))
    }

    @Test func `bytes that are cut off are refused`() throws {
        let bytes = Self.bytes(try sample())
        for count in 0..<bytes.count {
            #expect(throws: RetrievalError.self) { try KeywordSegment(region: Self.region(Array(bytes[..<count]))) }
        }
    }

    @Test func `another magic number, another version and wrong tables are refused`() throws {
        let bytes = Self.bytes(try sample())
        // The header's numbers: every one of them matters.
        for number in 0..<KeywordSegment.headerBytes / 8 {
            for change in [UInt8(0xFF), 0x01, 0x80] {
                for byte in [0, 3, 7] {
                    var damaged = bytes
                    damaged[number * 8 + byte] ^= change
                    // A length may say more than there is of a section without a table.
                    guard let segment = try? KeywordSegment(region: Self.region(damaged)) else { continue }
                    _ = everything(try KeywordIndex(segment: segment))
                }
            }
        }
        for (place, value) in [(0, UInt8(0)), (8, 2), (24, 0xFF), (32, 0xFF), (40, 0xFF)] {
            var damaged = bytes
            damaged[place] = value
            #expect(throws: RetrievalError.self) { try KeywordSegment(region: Self.region(damaged)) }
        }
    }

    @Test(arguments: 0..<20)
    func `damaged bytes are refused or give wrong answers, and never end the process`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let bytes = Self.bytes(try sample())
        var opened = 0
        for _ in 0..<150 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                damaged[Int.random(in: KeywordSegment.headerBytes..<bytes.count, using: &random)] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
                    ?? 0
            }
            guard let segment = try? KeywordSegment(region: Self.region(damaged)),
                var index = try? KeywordIndex(segment: segment)
            else { continue }
            opened += 1
            _ = everything(index)
            for stem in 0..<segment.stems.count { _ = segment.search(stem: Array(segment.stems[stem])).rows.count }
            try index.apply(set: [(2, [], Array("tide".utf8))], removed: [0])
            _ = everything(index)
            if let merged = try index.merged() { _ = everything(try KeywordIndex(segment: merged)) }
        }
        #expect(opened > 0)
    }

    @Test func `a segment whose ordinals have gaps is no base`() throws {
        let segment = try SegmentBuilder.segment(of: [(0, [], [0x61]), (2, [], [0x62])])
        #expect(throws: RetrievalError.self) { try KeywordIndex(segment: segment) }
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 28, 1 << 34])
    func `varints hold what was put in`(number: Int) {
        var bytes: [UInt8] = []
        Varint.append(number, to: &bytes)
        let count = bytes.count
        func read(_ bytes: ArraySlice<UInt8>) -> Int? {
            bytes.withUnsafeBufferPointer { bytes in
                guard var position = bytes.baseAddress else { return nil }
                return Varint.read(&position, position + bytes.count)
            }
        }
        #expect(read(bytes[...]) == number)
        if count > 1 { #expect(read(bytes[..<(count - 1)]) == nil) }
        #expect(read([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) == nil)
    }

    @Test(arguments: [
        ("abc", ["abc"]), ("“quoted”", ["quoted"]), ("a—b", ["a", "b"]), ("café", ["café"]), ("日", ["日"]),
        ("日本語", ["日本", "本語"]), ("x日本y", ["x", "日本", "y"]), ("日本。語", ["日本", "語"]), ("🎻a", ["a"]), ("한국", ["한국"]),
        ("\u{a0}x", ["x"]), ("", []), ("Привет", ["Привет"]),
    ])
    func `runs are cut into words`(run: String, words: [String]) {
        let bytes = Array(run.utf8)
        #expect(WordSplitter.words(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) } == words)
    }

    @Test func `bytes that are no text are cut into words without harm`() {
        var random = SeededGenerator(1)
        for _ in 0..<2000 {
            let bytes = (0..<12).map { _ in UInt8.random(in: 0x70...255, using: &random) }
            for word in WordSplitter.words(in: bytes) { #expect(word.upperBound <= 12 && !word.isEmpty) }
        }
    }
}
