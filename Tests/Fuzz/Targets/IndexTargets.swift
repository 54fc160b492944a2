import Foundation
import Synchronization

@testable import Retrieval
@testable import Text

/// Index files and their largest section, damaged in any way.
enum IndexTargets {
    private static func document(_ id: Int64) -> RetrievalDocument {
        RetrievalDocument(
            id: id, title: "note \(id % 5)", text: "tide bread été moon \(id) sea_\(id % 3)", noteType: "idea",
            createdAt: id, threads: [id % 4], tags: ["sea"])
    }

    private static let whole: (bytes: [UInt8], header: IndexFile.Header) = {
        let index = HybridIndex(dimensions: 8)
        var update = IndexUpdate()
        for id in Int64(1)...40 {
            update.documents.append(document(id))
            let passages = id % 3 == 0 ? 2 : 1
            let values = (0..<8 * passages).map { Float((Int(id) * 7 + $0 * 13) % 17) - 8.5 }
            update.vectors.append(VectorEntry(id: id, values: values, passages: passages))
        }
        let path = Scratch.folder.appending(path: "index").path
        do {
            try index.apply(update)
            index.encodeRows(for: [.int8]) { _, _ in }
            index.state.withLock {
                $0.snapshot.tuning = VectorTuning(
                    plan: .int8, candidates: 20, recallAt10: 1, sample: 9, speedup: 2, measuredAt: 3)
            }
            try index.image.write(to: path, stamp: IndexStamp(source: "fuzz", cursor: 7))
            return (
                Array(try Data(contentsOf: URL(filePath: path))), try IndexFile.header(of: Region(MappedFile(path)))
            )
        } catch { fatalError("\(error)") }
    }()

    private static let segmentBytes: [UInt8] = {
        let documents = (0..<12).map { number in
            (number, TextFolding.fold("title \(number)"), TextFolding.fold("tides été sea_\(number % 3) moon"))
        }
        do {
            let segment = try SegmentBuilder.segment(of: documents)
            return withExtendedLifetime(segment) { Array($0.region.bytes) }
        } catch { fatalError("\(error)") }
    }()

    /// Changes bytes as the input says: three bytes each for a place and a value.
    private static func mutate(_ bytes: inout [UInt8], _ input: inout Input, within range: Range<Int>) {
        while !input.rest.isEmpty, !range.isEmpty {
            let place = range.lowerBound + (input.number() << 8 | Int(input.byte())) % range.count
            bytes[place] = input.byte()
        }
    }

    /// A file that opens can be searched, changed and written again; any other is refused.
    static let file: FuzzBody = { input in
        var input = Input(input)
        let choice = input.byte()
        var (bytes, header) = whole
        switch choice % 4 {
        case 0:
            // Payload, which is not hashed.
            let section = header.sections[choice & 4 == 0 ? "text" : "vectors"] ?? [0, 0]
            mutate(&bytes, &input, within: section[0]..<section[0] + section[1])
        case 1:
            // Tables, with hashes that fit.
            let names = header.hashes.keys.sorted()
            let name = names[Int(input.byte()) % names.count]
            let section = header.sections[name] ?? [0, 0]
            mutate(&bytes, &input, within: section[0]..<section[0] + section[1])
            let table = Array(bytes[section[0]..<section[0] + section[1]])
            header.hashes[name] = IndexFile.hash(Region(copying: table))
            write(header, &bytes)
        case 2:
            // The header, with a hash that fits.
            guard var json = try? JSONEncoder().encode(header) else { return }
            var changed = Array(json)
            mutate(&changed, &input, within: 0..<changed.count)
            json = Data(changed)
            write(json, &bytes)
        default:
            bytes = Array(input.rest)
        }
        let path = Scratch.write(bytes, "fuzzed").path
        try? FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(whole.header.writtenAt))], ofItemAtPath: path)
        guard let index = try? HybridIndex.open(path: path).index else { return }
        use(index)
    }

    private static func write(_ header: IndexFile.Header, _ bytes: inout [UInt8]) {
        if let json = try? JSONEncoder().encode(header) { write(json, &bytes) }
    }

    /// Puts a header at the end of a file, behind its sections.
    private static func write(_ json: Data, _ bytes: inout [UInt8]) {
        let start = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) })
        bytes.replaceSubrange(start..., with: json)
        bytes.replaceSubrange(0..<IndexFile.preambleBytes, with: IndexFile.preamble(for: json, at: start))
    }

    private static func use(_ index: HybridIndex) {
        let dimensions = index.statistics.dimensions ?? 0
        for mode in RetrievalMode.allCases {
            var query = HybridQuery(
                text: "tides moon", keywords: ["sea_1", "e m"], vector: (0..<dimensions).map { Float($0) + 0.5 },
                mode: mode, filter: mode == .hybrid ? Filter(threads: [1], tags: ["sea"]) : Filter(), limit: 20)
            query.diversity = mode == .hybrid ? 0.5 : nil
            guard let result = try? index.searchNow(query) else { continue }
            promise(result.hits.count <= 20, "too many hits")
            promise(Set(result.hits.map(\.id)).count == result.hits.count || index.statistics.documents > 40, "twice")
        }
        _ = index.vector(of: 3)
        var update = IndexUpdate()
        update.documents = [document(3), document(99)]
        update.removedDocuments = [5]
        try? index.apply(update)
        let written = Scratch.folder.appending(path: "written").path
        if (try? index.image.write(to: written, stamp: IndexStamp(source: "fuzz", cursor: 8))) == true {
            promise((try? HybridIndex.open(path: written)) != nil, "a file that was written cannot be opened")
        }
    }

    /// A segment that opens can be searched and merged.
    static let segment: FuzzBody = { input in
        var input = Input(input)
        var bytes = segmentBytes
        if input.byte() & 1 == 0 {
            mutate(&bytes, &input, within: 0..<bytes.count)
        } else {
            bytes = Array(input.rest)
        }
        let region = Region(count: bytes.count) { $0.copyBytes(from: bytes) }
        guard let segment = try? KeywordSegment(region: region) else { return }
        for pattern in ["t", "tides", "sea_", "é", "s moon", "e 1"] {
            for plan in [KeywordPlan?.none] + KeywordPlan.allCases {
                segment.search(TextFolding.fold(pattern), forcing: plan).rows.forEach { row, _ in
                    promise(row >= 0 && row < segment.rows, "row \(row) of \(segment.rows)")
                }
            }
        }
        for stem in ["tide", "moon", "sea"] { _ = segment.search(stem: Array(stem.utf8)) }
        _ = try? SegmentMerger.merged([(segment, nil), (segment, Bitmap(full: segment.rows))])
    }
}
