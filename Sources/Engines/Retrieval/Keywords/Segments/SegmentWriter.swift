/// Collects the contents of a segment, before they are copied into one region.
struct SegmentWriter {
    /// Where each row's text starts, and where the last one ends.
    var starts: [UInt64] = [0]
    var ordinals: [UInt32] = []
    var titleLengths: [UInt32] = []
    var wordCounts: [UInt32] = []
    /// The runs, ascending.
    var vocabulary = StringTableBuilder()
    var postings: [UInt8] = []
    var postingOffsets: [UInt64] = [0]

    /// Appends a row.
    mutating func appendRow(ordinal: Int, titleLength: Int, textBytes: Int, words: Int) {
        starts.append(starts[starts.count - 1] + UInt64(textBytes))
        ordinals.append(UInt32(ordinal))
        titleLengths.append(UInt32(titleLength))
        wordCounts.append(UInt32(clamping: words))
    }

    /// Ends the postings of the last entry of the vocabulary.
    mutating func endPostings() { postingOffsets.append(UInt64(postings.count)) }

    /// Writes the segment.
    ///
    /// - Parameter copyText: Fills the text section, as many bytes as the last of ``starts``.
    func segment(copyText: (UnsafeMutableRawBufferPointer) -> Void) throws(RetrievalError) -> KeywordSegment {
        let stems = StemTable(vocabulary: vocabulary)
        let textBytes = Int(starts[starts.count - 1])
        func bytes(of section: KeywordSegment.Section) -> Int {
            switch section {
            case .vocabulary: vocabulary.bytes.count
            case .stems: stems.strings.bytes.count
            case .postings: postings.count
            case .stemLists: stems.lists.count
            case .text: textBytes
            default:
                SegmentLayout.size(
                    of: section, rows: ordinals.count, entries: vocabulary.count, stems: stems.strings.count) ?? 0
            }
        }
        var places: [Range<Int>] = []
        var position = KeywordSegment.headerBytes
        for section in KeywordSegment.Section.allCases {
            places.append(position..<position + bytes(of: section))
            position = (position + bytes(of: section) + 7) / 8 * 8
        }
        var header = [
            KeywordSegment.magic, KeywordSegment.version, UInt64(position), UInt64(ordinals.count),
            UInt64(vocabulary.count), UInt64(stems.strings.count),
        ]
        for place in places { header += [UInt64(place.lowerBound), UInt64(place.count)] }

        let region = unsafe Region(count: position) { memory in
            func copy<Value: BitwiseCopyable>(_ values: [Value], to offset: Int) {
                unsafe values.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + source.count])
                        .copyMemory(from: source)
                }
            }
            copy(header, to: 0)
            for section in KeywordSegment.Section.allCases {
                let place = places[section.rawValue].lowerBound
                switch section {
                case .rowStarts: copy(starts, to: place)
                case .entryOffsets: copy(vocabulary.offsets, to: place)
                case .postingOffsets: copy(postingOffsets, to: place)
                case .stemOffsets: copy(stems.strings.offsets, to: place)
                case .stemListOffsets: copy(stems.listOffsets, to: place)
                case .ordinals: copy(ordinals, to: place)
                case .titleLengths: copy(titleLengths, to: place)
                case .wordCounts: copy(wordCounts, to: place)
                case .vocabulary: copy(vocabulary.bytes, to: place)
                case .stems: copy(stems.strings.bytes, to: place)
                case .postings: copy(postings, to: place)
                case .stemLists: copy(stems.lists, to: place)
                case .text:
                    unsafe copyText(UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + textBytes]))
                }
            }
        }
        return try KeywordSegment(region: region)
    }
}
