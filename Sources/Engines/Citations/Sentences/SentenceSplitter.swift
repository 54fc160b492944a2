/// Finds the ends of sentences by rules: stops and what closes behind them, abbreviations, initials, ordinals, quotations
/// and scripts without spaces.
struct SentenceSplitter {
    private let text: ScalarText
    private let markers: [CitationMarker]
    /// By the index of a marker's first character: its place in ``markers``, and the index behind its last one.
    private var starts: [Int: (marker: Int, end: Int)] = [:]

    /// - Parameter markers: In the order of the text. What is within them ends no sentence.
    init(_ text: ScalarText, markers: [CitationMarker] = []) {
        self.text = text
        self.markers = markers
        var index = 0
        for (number, marker) in markers.enumerated() {
            while index < text.scalars.count, text.offsets[index] < marker.range.lowerBound { index += 1 }
            let start = index
            while index < text.scalars.count, text.offsets[index] < marker.range.upperBound { index += 1 }
            starts[start] = (number, index)
        }
    }

    /// The sentences in the order of the text.
    func sentences(breaksAtLineEnds: Bool) -> [Sentence] {
        var found: [Sentence] = []
        for block in Block.blocks(of: text, breaksAtLineEnds: breaksAtLineEnds) {
            var start = block.range.lowerBound
            while start < block.range.upperBound {
                let part = part(from: start, limit: block.range.upperBound)
                let inside = part.markers.map { markers[$0] }
                if part.hasWord, let range = text.trimmed(start..<part.end) {
                    found.append(Sentence(range: text.bytes(range), isHeading: block.isHeading, markers: inside))
                } else if let last = found.indices.last {
                    // Markers on a line of their own.
                    found[last].markers += inside
                }
                start = part.end
            }
        }
        return found
    }

    /// What one sentence takes up.
    private struct Part {
        /// Behind the sentence and its markers.
        var end: Int
        var markers: [Int] = []
        var hasWord = false
    }

    /// The sentence that begins at a place.
    private func part(from start: Int, limit: Int) -> Part {
        var part = Part(end: limit)
        var index = start
        while index < limit {
            if let marker = starts[index], marker.end <= limit {
                part.markers.append(marker.marker)
                index = marker.end
                continue
            }
            guard let scalar = text[index] else { break }
            part.hasWord = part.hasWord || scalar.isLetter || scalar.isNumeric
            index += 1
            guard Self.isStop(scalar), part.hasWord else { continue }
            var end = index
            while end < limit, let next = text[end], Self.isStop(next) || Self.isCloser(next) { end += 1 }
            let isEnd = isEnd(stop: index - 1, after: end, limit: limit)
            index = end
            guard isEnd else { continue }
            // Markers behind the stop belong to the sentence.
            while let marker = starts[blank(from: index, limit: limit)], marker.end <= limit {
                part.markers.append(marker.marker)
                index = marker.end
                if let next = text[index], next == ".", index < limit { index += 1 }
            }
            part.end = index
            return part
        }
        return part
    }

    /// Whether a sentence ends between a stop, with what closes behind it, and what follows.
    private func isEnd(stop: Int, after end: Int, limit: Int) -> Bool {
        guard end < limit, let scalar = text[stop], let following = text[end] else { return true }
        if Self.isWide(scalar) { return true }
        if starts[end] != nil { return true }
        guard following.isBlank else { return false }
        let next = blank(from: end, limit: limit)
        guard next < limit, let first = text[next] else { return true }
        if starts[next] != nil { return true }
        if scalar == "." { return !Abbreviations.belongs(text, stop: stop, next: next) }
        // `"Which one?" she asked`, `wait … no`
        return !first.isSmall
    }

    /// The first place from an index on that is not white space.
    private func blank(from start: Int, limit: Int) -> Int {
        var index = start
        while index < limit, let scalar = text[index], scalar.isBlank { index += 1 }
        return index
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "。" || scalar == "！" || scalar == "？" || scalar == "｡" || scalar == "．"
    }

    private static func isStop(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "!" || scalar == "?" || scalar == "…" || isWide(scalar)
    }

    private static func isCloser(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\"", "'", ")", "]", "”", "’", "»", "«", "“", "」", "』", "）", "】", "》", "〉", "*", "_", "`": true
        default: false
        }
    }
}
