/// The vocabulary of a database in memory: runs of word bytes with the numbers that the database gave them.
///
/// It finds the runs that a ``KeywordQuestion`` needs as the database would, without asking it. Later runs are appended; most of
/// them are in an immutable part that copies share.
package struct RunVocabulary: Sendable {
    /// A run and its number.
    package struct Run: Sendable, Hashable {
        package var id: Int32
        package var text: String

        package init(id: Int32, text: String) { (self.id, self.text) = (id, text) }
    }

    /// More appended runs than this, and than an eighth of all, become part of the indexed ones.
    private static let mostLoose = 4096

    private var indexed: IndexedRuns?
    private var loose: [(run: Run, bytes: [UInt8], stems: [[UInt8]])] = []
    /// The greatest number; 0 without runs. Numbers are appended in ascending order.
    package private(set) var last: Int32 = 0
    /// Bytes of all runs.
    package private(set) var byteCount = 0

    package init() {}

    /// The number of runs.
    package var count: Int { (indexed?.count ?? 0) + loose.count }

    /// Appends runs. Those whose numbers are not greater than ``last`` are known already and are left out.
    ///
    /// - Complexity: Now and then all runs are read again, which takes about a second for a million.
    package mutating func append(_ runs: [Run]) {
        for run in runs where run.id > last {
            let bytes = Array(run.text.utf8)
            loose.append((run, bytes, IndexedText.stemList(bytes)))
            last = run.id
            byteCount += bytes.count
        }
        guard loose.count > max(Self.mostLoose, count / 8) else { return }
        indexed = IndexedRuns(indexed, and: loose.map { ($0.run.id, $0.bytes) })
        loose.removeAll()
    }

    /// The runs that have one of the stems, hold one of the patterns, or are such a part of a phrase; each once.
    package func runs(
        stems: [String], patterns: [String], parts: [KeywordQuestion.Part] = []
    ) -> [Run] {
        let stems = stems.map { Array($0.utf8) }
        let needles = patterns.map { Needle.within(Array($0.utf8)) } + parts.map(Needle.init)
        var found = indexed?.runs(stems, needles) ?? []
        for one in loose
        where one.stems.contains(where: stems.contains) || needles.contains(where: { $0.matches(one.bytes) }) {
            found.append(one.run)
        }
        return found
    }

    /// The runs that have each stem; stems that none has are left out.
    package func runs(of stems: [String]) -> [String: [Run]] {
        stems.reduce(into: [:]) { found, stem in
            let runs = runs(stems: [stem], patterns: [])
            if !runs.isEmpty { found[stem] = runs }
        }
    }
}

/// What a run must hold, in bytes.
private enum Needle {
    case within([UInt8]), prefix([UInt8]), suffix([UInt8]), whole([UInt8])

    init(_ part: KeywordQuestion.Part) {
        switch part {
        case .suffix(let text): self = .suffix(Array(text.utf8))
        case .prefix(let text): self = .prefix(Array(text.utf8))
        case .whole(let text): self = .whole(Array(text.utf8))
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .within(let bytes), .prefix(let bytes), .suffix(let bytes), .whole(let bytes): bytes
        }
    }

    /// Whether an occurrence of the bytes at a place of a run is one.
    func accepts(_ place: Int, in count: Int) -> Bool {
        let length = bytes.count
        return switch self {
        case .within: true
        case .prefix: place == 0
        case .suffix: place + length == count
        case .whole: place == 0 && length == count
        }
    }

    func matches(_ run: [UInt8]) -> Bool {
        switch self {
        case .within(let bytes): run.firstRange(of: bytes) != nil
        case .prefix(let bytes): run.starts(with: bytes)
        case .suffix(let bytes): run.count >= bytes.count && run.suffix(bytes.count).elementsEqual(bytes)
        case .whole(let bytes): run == bytes
        }
    }
}

/// Runs with tables of their trigrams and stems.
private final class IndexedRuns: Sendable {
    private let ids: [Int32]
    private let strings: StringTableBuilder
    private let trigrams: TrigramTable
    private let stems: StemTable

    var count: Int { ids.count }

    /// Takes the runs of another one, and more.
    init(_ other: IndexedRuns?, and more: [(id: Int32, bytes: [UInt8])]) {
        ids = (other?.ids ?? []) + more.map(\.id)
        var strings = other?.strings ?? StringTableBuilder()
        for run in more { strings.append(run.bytes) }
        self.strings = strings
        trigrams = strings.withTable { TrigramTable(of: $0) }
        stems = StemTable(vocabulary: strings)
    }

    func runs(_ wanted: [[UInt8]], _ needles: [Needle]) -> [RunVocabulary.Run] {
        var found: Set<Int> = []
        for stem in wanted { found.formUnion(stems.entries(of: stem)) }
        strings.withTable { table in
            for needle in needles where !needle.bytes.isEmpty {
                func take(_ index: Int, _ place: Int) {
                    if unsafe needle.accepts(place, in: table[index].count) { found.insert(index) }
                }
                let pattern = needle.bytes
                // A suffix is looked for with the zero byte after its run: an earlier occurrence may overlap it.
                let anchored = if case .suffix = needle { pattern + [0] } else { pattern }
                if let candidates = trigrams.candidates(for: pattern) {
                    table.forEachOccurrence(of: anchored, in: candidates, take)
                } else {
                    table.forEachOccurrence(of: anchored, take)
                }
            }
            return
        }
        return found.sorted().map { index in
            RunVocabulary.Run(
                id: ids[index], text: strings.withTable { unsafe String(decoding: $0[index], as: UTF8.self) })
        }
    }
}

extension StringTableBuilder {
    /// Calls the body with the strings as a table. They need not be in order for a search of parts.
    fileprivate func withTable<Value>(_ body: (StringTable) -> Value) -> Value {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe offsets.withUnsafeBufferPointer { offsets in
                // SAFETY: The table does not leave the closure. Offsets has at least one element, and an empty table reads no byte.
                guard let first = bytes.baseAddress, let start = offsets.baseAddress else {
                    let none: (UInt8, UInt64) = (0, 0)
                    return unsafe withUnsafePointer(to: none.0) { byte in
                        unsafe withUnsafePointer(to: none.1) { offset in
                            body(unsafe StringTable(bytes: byte, offsets: offset, count: 0, byteCount: 0))
                        }
                    }
                }
                return body(unsafe StringTable(bytes: first, offsets: start, count: count, byteCount: bytes.count))
            }
        }
    }
}

extension StemTable {
    /// The entries that have a stem, ascending.
    fileprivate func entries(of stem: [UInt8]) -> [Int] {
        var (low, high) = (0, strings.count)
        func text(_ index: Int) -> ArraySlice<UInt8> {
            strings.bytes[Int(strings.offsets[index])..<Int(strings.offsets[index + 1]) - 1]
        }
        while low < high {
            let middle = (low + high) / 2
            if text(middle).lexicographicallyPrecedes(stem) { low = middle + 1 } else { high = middle }
        }
        guard low < strings.count, text(low).elementsEqual(stem) else { return [] }
        let list = lists[Int(listOffsets[low])..<Int(listOffsets[low + 1])]
        var (found, last) = ([Int](), 0)
        unsafe list.withUnsafeBufferPointer { list in
            guard var place = list.baseAddress else { return }
            let end = unsafe place + list.count
            while let distance = unsafe Varint.read(&place, end), unsafe Varint.read(&place, end) != nil {
                last += distance
                found.append(last)
            }
        }
        return found
    }
}
