/// The sizes of passages in UTF-8 bytes.
package struct PassageSizes: Sendable, Hashable {
    /// The size that a cut aims for.
    package var target: Int
    /// The largest passage, unless a single grapheme is longer.
    package var most: Int
    /// The overlap with the passage before that the cut aims for.
    package var overlap: Int
    /// The largest overlap with the passage before.
    package var mostOverlap: Int
    /// The largest number of passages; text after them is in none.
    package var count: Int

    package init(target: Int, most: Int, overlap: Int, mostOverlap: Int, count: Int = .max) {
        self.target = max(2, target)
        self.most = max(self.target, most)
        self.overlap = max(0, overlap)
        self.mostOverlap = max(self.overlap, mostOverlap)
        self.count = count
    }
}

/// Cuts a text into overlapping passages at its best borders.
package struct PassageCutter {
    /// The passages of prose: whole sentences where the sizes allow it. A line end within a paragraph is a space.
    ///
    /// - Returns: Ranges in UTF-8 bytes, in order, without white space at their ends; none for a blank text. Starts and ends
    ///   both ascend.
    package static func prose(_ text: String, sizes: PassageSizes) -> [Range<Int>] {
        let borders = TextBorders(text, limit: .max, kind: .prose)
        return PassageCutter(borders: borders, sizes: sizes).ranges
    }

    /// The beginning of a text that fits a size: whole sentences if one ends in the second half of it, else whole words, else
    /// whole graphemes.
    ///
    /// - Parameter most: The largest size in UTF-8 bytes.
    package static func beginning(of text: String, most: Int) -> String {
        guard text.utf8.count > most else { return text }
        guard most > 0 else { return "" }
        let borders = TextBorders(text, limit: most + 2, kind: .prose)
        func end(atLeast kind: TextBorders.Kind) -> Int? {
            // What fits may be followed by white space that does not.
            for last in [most + 1, most] {
                guard let cut = borders.nearest(to: last, in: most / 2 + 1..<last + 1, atLeast: kind) else {
                    return nil
                }
                let end = borders.end(before: cut)
                if end <= most { return end }
            }
            return nil
        }
        let end = end(atLeast: .sentence) ?? end(atLeast: .space) ?? borders.last(in: 1..<most + 1) ?? 0
        return String(decoding: text.utf8.prefix(end), as: UTF8.self)
    }

    /// A heading, if there is one, and on the next line the beginning of a text.
    ///
    /// - Parameter most: The largest size of both in UTF-8 bytes; the heading gets at most a quarter of it.
    package static func beginning(of text: String, under heading: String, most: Int) -> String {
        let heading = beginning(of: heading, most: most / 4)
        guard !heading.isEmpty else { return beginning(of: text, most: most) }
        return heading + "\n" + beginning(of: text, most: most - heading.utf8.count - 1)
    }

    let borders: TextBorders
    let sizes: PassageSizes

    /// The passages; none for a blank text.
    var ranges: [Range<Int>] {
        let end = borders.end(before: borders.count)
        var ranges: [Range<Int>] = []
        var start = borders.start(after: 0)
        // The start of the text that is in no passage yet.
        var fresh = start
        while fresh < end, ranges.count < sizes.count {
            if end - start <= sizes.most {
                ranges.append(start..<end)
                break
            }
            let cut = nextCut(from: start, after: fresh)
            ranges.append(start..<borders.end(before: cut))
            fresh = borders.start(after: cut)
            // After a long gap there is nothing to share.
            start = fresh - cut > sizes.overlap ? fresh : overlap(cut: cut, after: start) ?? fresh
        }
        return ranges
    }

    /// The end of the passage that begins at `start`: after `fresh`, so that every passage has new text.
    private func nextCut(from start: Int, after fresh: Int) -> Int {
        let earliest = start + sizes.target / 2
        let window = max(earliest, fresh + 1)..<max(max(earliest, fresh + 1), start + sizes.most + 1)
        for kind in TextBorders.Kind.allCases.reversed() {
            if let cut = borders.nearest(to: start + sizes.target, in: window, atLeast: kind) { return cut }
        }
        // A grapheme of more than a thousand bytes is in the way: stop before it, or take it whole.
        if fresh + 1 < earliest, let cut = borders.last(in: fresh + 1..<earliest) { return cut }
        return borders.first(from: max(start + sizes.most, fresh) + 1)
    }

    /// The start of the next passage when it overlaps the one that began at `start` and ended at `cut`; nil when no
    /// border fits.
    private func overlap(cut: Int, after start: Int) -> Int? {
        let lowest = max(start + 1, cut - sizes.mostOverlap)
        let window = lowest..<max(lowest, cut - sizes.overlap / 3)
        for kind in [TextBorders.Kind.sentence, .space, .grapheme] {
            if let border = borders.nearest(to: cut - sizes.overlap, in: window, atLeast: kind) {
                return borders.start(after: border)
            }
        }
        return nil
    }
}
