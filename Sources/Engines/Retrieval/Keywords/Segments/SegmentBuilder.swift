import Text

/// A document for the keyword leg: its ordinal, and its title and text, folded.
typealias KeywordDocument = (ordinal: Int, title: [UInt8], text: [UInt8])

/// Builds a segment from documents.
///
/// Two passes: the first cuts the text into runs and numbers the distinct ones; the second puts the numbers, row by
/// row, under their entries. Time grows with the bytes. Memory is about twice the text, besides the result.
struct SegmentBuilder {
    private var writer = SegmentWriter()
    private var text: [UInt8] = []
    private var interner = Interner()
    /// The entry of each run of the text, in order.
    private var tokens: [UInt32] = []
    /// For each row: where the runs of its title, and all its runs, end in ``tokens``.
    private var tokenEnds: [(title: Int, all: Int)] = []
    /// For each entry, by number.
    private var entries: [Entry] = []

    private struct Entry {
        /// The words that BM25 counts in it.
        var words: Int32
        /// Rows that hold it.
        var rows: Int32 = 0
        /// The last row that holds it.
        var lastRow: Int32 = -1
    }

    /// Builds the segment of some documents with distinct ordinals.
    static func segment(of documents: [KeywordDocument]) throws(RetrievalError) -> KeywordSegment {
        var builder = SegmentBuilder()
        builder.text.reserveCapacity(documents.reduce(0) { $0 + $1.title.count + $1.text.count + 2 })
        for document in documents.sorted(by: { $0.ordinal < $1.ordinal }) { builder.append(document) }
        builder.invert()
        return unsafe try builder.writer.segment { memory in unsafe memory.copyBytes(from: builder.text) }
    }

    private mutating func append(_ document: KeywordDocument) {
        let start = text.count
        text += document.title
        text.append(TextFolding.titleEnd)
        let titleEnd = text.count
        text += document.text
        text.append(TextFolding.documentEnd)
        var words = cut(start..<titleEnd)
        let titleTokens = tokens.count
        words += cut(titleEnd..<text.count)
        tokenEnds.append((titleTokens, tokens.count))
        writer.appendRow(
            ordinal: document.ordinal, titleLength: document.title.count, textBytes: text.count - start, words: words)
    }

    /// Numbers the runs of a range of the text that ends in a separator.
    ///
    /// - Returns: The number of words.
    private mutating func cut(_ range: Range<Int>) -> Int {
        let row = Int32(tokenEnds.count)
        var words = 0
        unsafe text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return }
            var position = range.lowerBound
            while position < range.upperBound {
                var byte = unsafe base[position]
                guard WordBytes.contains(byte) else {
                    position += 1
                    continue
                }
                let start = position
                var hash = Interner.seed
                // The separator at the end is not a word byte.
                repeat {
                    hash = Interner.mixed(hash, byte)
                    position += 1
                    byte = unsafe base[position]
                } while WordBytes.contains(byte)
                let (number, isNew) = unsafe interner.intern(base + start, position - start, hash: hash)
                if isNew {
                    let run = unsafe UnsafeBufferPointer(start: base + start, count: position - start)
                    let isASCII = unsafe run.allSatisfy { $0 < 0x80 }
                    entries.append(Entry(words: isASCII ? 1 : unsafe Int32(WordSplitter.words(in: run).count)))
                }
                words += Int(entries[number].words)
                if entries[number].lastRow != row {
                    entries[number].lastRow = row
                    entries[number].rows += 1
                }
                tokens.append(UInt32(number))
            }
        }
        return words
    }

    /// Puts every row under its entries and writes vocabulary and postings.
    private mutating func invert() {
        var ends: [Int] = []
        ends.reserveCapacity(entries.count)
        var sum = 0
        for number in entries.indices {
            ends.append(sum)
            sum += Int(entries[number].rows)
            entries[number].lastRow = -1
        }
        var rows = [Int32](repeating: 0, count: sum)
        var marks = [UInt8](repeating: 0, count: sum)
        var token = 0
        for (row, tokenEnd) in tokenEnds.enumerated() {
            while token < tokenEnd.all {
                let number = Int(tokens[token])
                if entries[number].lastRow != Int32(row) {
                    entries[number].lastRow = Int32(row)
                    rows[ends[number]] = Int32(row)
                    marks[ends[number]] = token < tokenEnd.title ? KeywordSegment.titleFlag : 0
                    ends[number] += 1
                }
                let place = ends[number] - 1
                if marks[place] & 0x7F < KeywordSegment.maxTermFrequency { marks[place] += 1 }
                token += 1
            }
        }
        writer.postings.reserveCapacity(sum * 3)
        for number in interner.sorted() {
            writer.vocabulary.append(interner.bytes[interner.offsets[number]..<interner.offsets[number + 1]])
            var previous = 0
            for place in (ends[number] - Int(entries[number].rows))..<ends[number] {
                Varint.append(Int(rows[place]) - previous, to: &writer.postings)
                writer.postings.append(marks[place])
                previous = Int(rows[place])
            }
            writer.endPostings()
        }
    }
}
