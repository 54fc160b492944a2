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

    mutating func appendRow(ordinal: Int, titleLength: Int, textBytes: Int, words: Int) {
        starts.append(starts[starts.count - 1] + UInt64(textBytes))
        ordinals.append(UInt32(ordinal))
        titleLengths.append(UInt32(titleLength))
        wordCounts.append(UInt32(clamping: words))
    }

    /// Ends the postings of the last entry of the vocabulary.
    mutating func endPostings() { postingOffsets.append(UInt64(postings.count)) }

    /// Writes the segment to memory.
    ///
    /// - Parameter copyText: Fills the text section, as many bytes as the last of ``starts``.
    func segment(copyText: (UnsafeMutableRawBufferPointer) -> Void) throws(RetrievalError) -> KeywordSegment {
        let layout = Layout(of: self)
        let region = unsafe Region(count: layout.bytes) { memory in
            unsafe fill(memory, layout)
            unsafe copyText(UnsafeMutableRawBufferPointer(rebasing: memory[layout.places[Self.text]]))
        }
        return try KeywordSegment(region: region)
    }

    /// Writes the segment to a file.
    ///
    /// - Parameter writeText: Appends the text section, as many bytes as the last of ``starts``.
    func write(
        to file: DurableFile, writeText: (DurableFile) throws(RetrievalError) -> Void
    ) throws(RetrievalError) {
        let layout = Layout(of: self)
        let start = file.offset
        try file.write(unsafe Region(count: layout.places[Self.text].lowerBound) { unsafe fill($0, layout) })
        try writeText(file)
        try file.pad(to: start + layout.bytes)
    }

    /// The text comes last.
    private static var text: Int { KeywordSegment.Section.text.rawValue }

    /// Where each section goes.
    private struct Layout {
        let stems: StemTable
        private(set) var places: [Range<Int>] = []
        /// Bytes of the segment.
        private(set) var bytes = KeywordSegment.headerBytes

        init(of writer: SegmentWriter) {
            let stems = StemTable(vocabulary: writer.vocabulary)
            self.stems = stems
            for section in KeywordSegment.Section.allCases {
                let count =
                    switch section {
                    case .vocabulary: writer.vocabulary.bytes.count
                    case .stems: stems.strings.bytes.count
                    case .postings: writer.postings.count
                    case .stemLists: stems.lists.count
                    case .text: Int(writer.starts[writer.starts.count - 1])
                    default:
                        SegmentLayout.size(
                            of: section, rows: writer.ordinals.count, entries: writer.vocabulary.count,
                            stems: stems.strings.count) ?? 0
                    }
                places.append(bytes..<bytes + count)
                bytes = (bytes + count + 7) / 8 * 8
            }
        }
    }

    /// Writes the header and every section before the text.
    private func fill(_ memory: UnsafeMutableRawBufferPointer, _ layout: Layout) {
        var header = [
            KeywordSegment.magic, KeywordSegment.version, UInt64(layout.bytes), UInt64(ordinals.count),
            UInt64(vocabulary.count), UInt64(layout.stems.strings.count),
        ]
        for place in layout.places { header += [UInt64(place.lowerBound), UInt64(place.count)] }
        func copy<Value: BitwiseCopyable>(_ values: [Value], to offset: Int) {
            unsafe values.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + source.count])
                    .copyMemory(from: source)
            }
        }
        copy(header, to: 0)
        for section in KeywordSegment.Section.allCases {
            let place = layout.places[section.rawValue].lowerBound
            switch section {
            case .rowStarts: copy(starts, to: place)
            case .entryOffsets: copy(vocabulary.offsets, to: place)
            case .postingOffsets: copy(postingOffsets, to: place)
            case .stemOffsets: copy(layout.stems.strings.offsets, to: place)
            case .stemListOffsets: copy(layout.stems.listOffsets, to: place)
            case .ordinals: copy(ordinals, to: place)
            case .titleLengths: copy(titleLengths, to: place)
            case .wordCounts: copy(wordCounts, to: place)
            case .vocabulary: copy(vocabulary.bytes, to: place)
            case .stems: copy(layout.stems.strings.bytes, to: place)
            case .postings: copy(postings, to: place)
            case .stemLists: copy(layout.stems.lists, to: place)
            case .text: break
            }
        }
    }
}
