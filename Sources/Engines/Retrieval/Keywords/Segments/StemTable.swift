/// The stems of a vocabulary with the entries of each.
struct StemTable {
    private(set) var strings = StringTableBuilder()
    /// For each stem and each of its entries: distance from the entry before and how often the entry has the stem.
    private(set) var lists: [UInt8] = []
    private(set) var listOffsets: [UInt64] = [0]

    private struct Pair {
        var stem: Int32
        var entry: Int32
    }

    /// Cuts every entry into words and stems them. Time grows with the vocabulary, which grows slower than the text.
    init(vocabulary: StringTableBuilder) {
        var interner = Interner()
        var pairs: [Pair] = []
        for entry in 0..<vocabulary.count {
            let run = Array(
                vocabulary.bytes[Int(vocabulary.offsets[entry])..<Int(vocabulary.offsets[entry + 1] - 1)])
            for word in WordSplitter.words(in: run) {
                let isWhole = word.count == run.count
                for key in WordStems.keys(of: isWhole ? run : Array(run[word])) {
                    pairs.append(Pair(stem: Int32(interner.intern(key)), entry: Int32(entry)))
                }
            }
        }
        // A counting sort by stem keeps the entries of each ascending.
        var ends = [Int](repeating: 0, count: interner.count)
        for pair in pairs { ends[Int(pair.stem)] += 1 }
        var sum = 0
        for stem in ends.indices {
            (ends[stem], sum) = (sum, sum + ends[stem])
        }
        var ordered = pairs
        for pair in pairs {
            ordered[ends[Int(pair.stem)]] = pair
            ends[Int(pair.stem)] += 1
        }
        for stem in interner.sorted() {
            strings.append(interner.bytes[interner.offsets[stem]..<interner.offsets[stem + 1]])
            append(ordered[(stem == 0 ? 0 : ends[stem - 1])..<ends[stem]])
            listOffsets.append(UInt64(lists.count))
        }
    }

    private mutating func append(_ pairs: ArraySlice<Pair>) {
        var previous = 0
        var index = pairs.startIndex
        while index < pairs.endIndex {
            let entry = pairs[index].entry
            var factor = 0
            while index < pairs.endIndex, pairs[index].entry == entry {
                factor += 1
                index += 1
            }
            Varint.append(Int(entry) - previous, to: &lists)
            Varint.append(factor, to: &lists)
            previous = Int(entry)
        }
    }
}
