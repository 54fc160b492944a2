import Synchronization

/// For each three bytes in a row, the strings of a vocabulary that may hold them. So a search for a part of a word
/// reads few strings instead of the whole vocabulary.
///
/// It takes about four bytes for each byte of the vocabulary.
struct TrigramTable: Sendable {
    /// A smaller vocabulary is searched as fast without a table.
    static let leastBytes = 1 << 14
    /// A greater vocabulary, which no file of ours has, is searched without a table.
    static let mostBytes = 1 << 31
    private static let most = 16

    /// Where each bucket begins in ``strings``, and where the last one ends. Different bytes may share a bucket.
    private let starts: [UInt32]
    /// By bucket, ascending.
    private let strings: [UInt32]
    private let shift: UInt32

    /// Reads a vocabulary. Time and memory grow with its bytes.
    init(of vocabulary: StringTable) {
        var bits = 8
        while bits < Self.most, 1 << bits < vocabulary.byteCount / 4 { bits += 1 }
        let shift = UInt32(32 - bits)
        self.shift = shift
        // A first pass counts, a second one fills.
        var ends = [UInt32](repeating: 0, count: 1 << bits)
        var last = [UInt32](repeating: .max, count: 1 << bits)
        func forEachBucket(_ body: (_ bucket: Int, _ string: UInt32) -> Void) {
            for string in 0..<UInt32(vocabulary.count) {
                unsafe Self.forEachBucket(of: vocabulary[Int(string)], shift) { bucket in
                    guard last[bucket] != string else { return }
                    last[bucket] = string
                    body(bucket, string)
                }
            }
        }
        forEachBucket { bucket, _ in ends[bucket] += 1 }
        var starts: [UInt32] = [0]
        starts.reserveCapacity(ends.count + 1)
        var sum: UInt32 = 0
        for bucket in ends.indices {
            (ends[bucket], sum) = (sum, sum + ends[bucket])
            starts.append(sum)
        }
        var strings = [UInt32](repeating: 0, count: Int(sum))
        for bucket in last.indices { last[bucket] = .max }
        forEachBucket { bucket, string in
            // Another process may change a mapped vocabulary between the passes.
            guard ends[bucket] < starts[bucket + 1] else { return }
            strings[Int(ends[bucket])] = string
            ends[bucket] += 1
        }
        self.starts = starts
        self.strings = strings
    }

    /// The strings that may hold a pattern, ascending; nil when the pattern is too short to choose any.
    func candidates(for pattern: [UInt8]) -> ArraySlice<UInt32>? {
        var chosen: Range<Int>?
        unsafe pattern.withUnsafeBufferPointer { pattern in
            unsafe Self.forEachBucket(of: pattern, shift) { bucket in
                let range = Int(starts[bucket])..<Int(starts[bucket + 1])
                if chosen.map({ range.count < $0.count }) ?? true { chosen = range }
            }
        }
        return chosen.map { strings[$0] }
    }

    @inline(__always)
    private static func forEachBucket(
        of string: UnsafeBufferPointer<UInt8>, _ shift: UInt32, _ body: (_ bucket: Int) -> Void
    ) {
        guard string.count >= 3 else { return }
        var bytes = unsafe UInt32(string[0]) << 8 | UInt32(string[1]) << 16
        for place in 2..<string.count {
            bytes = unsafe bytes >> 8 | UInt32(string[place]) << 16
            body(Int((bytes &* 0x9E37_79B1) >> shift))
        }
    }
}

/// The trigrams of a segment's vocabulary, read when a search first needs them.
final class VocabularyTrigrams: Sendable {
    private let known = Mutex<TrigramTable?>(nil)

    /// The table of a vocabulary, always the same one; nil when it is small.
    func table(of vocabulary: StringTable) -> TrigramTable? {
        guard (TrigramTable.leastBytes...TrigramTable.mostBytes).contains(vocabulary.byteCount) else { return nil }
        return known.withLock { known in
            if let known { return known }
            let table = TrigramTable(of: vocabulary)
            known = table
            return table
        }
    }
}
