/// The clippings of one book: a highlight that was made again counts once, and a note belongs to the highlight at its place.
struct KindleBook {
    /// Clippings that are one note.
    struct Group {
        /// The clippings in the order of the file: the first one gives the note its identity and its date.
        var first: KindleClipping
        /// The clipping with the longest text.
        var longest: KindleClipping
        /// Other clippings of a part of the same text.
        var repeats = 0
        var notes: [String] = []
        var isCut = false
    }

    /// The clippings before one in the order of places that it is compared with. More do not overlap in a real book, and a
    /// hostile file would take time without end.
    private static let mostCompared = 64

    /// The groups in the order of the file.
    static func groups(_ clippings: [KindleClipping]) -> [Group] {
        let sorted = clippings.sorted { start($0) == start($1) ? $0.line < $1.line : start($0) < start($1) }
        var groups: [Group] = []
        for clipping in sorted where clipping.metadata.kind != .note { add(clipping, to: &groups) }
        var alone: [Group] = []
        for clipping in sorted where clipping.metadata.kind == .note {
            if let place = nearest(to: clipping, in: groups) {
                add(clipping, asNoteOf: &groups[place])
            } else {
                add(clipping, to: &alone)
            }
        }
        return (groups + alone).sorted { $0.first.line < $1.first.line }
    }

    private static func start(_ clipping: KindleClipping) -> Int { clipping.metadata.range?.lowerBound ?? Int.max }

    private static func overlap(_ one: KindleClipping, _ two: KindleClipping) -> Bool {
        guard let first = one.metadata.range, let second = two.metadata.range else {
            return one.metadata.range == nil && two.metadata.range == nil
        }
        return first.overlaps(second)
    }

    private static func add(_ clipping: KindleClipping, to groups: inout [Group]) {
        for place in groups.indices.suffix(mostCompared).reversed() {
            let known = groups[place].longest
            guard overlap(known, clipping), let longer = RepeatedText.longer(known.text, clipping.text) else {
                continue
            }
            groups[place].repeats += 1
            groups[place].isCut = groups[place].isCut || clipping.isCut
            if longer == clipping.text, known.text != longer || clipping.line < known.line {
                groups[place].longest = clipping
            }
            if clipping.line < groups[place].first.line { groups[place].first = clipping }
            return
        }
        groups.append(Group(first: clipping, longest: clipping, isCut: clipping.isCut))
    }

    /// The highlight at a note's place; of several the one beside it in the file.
    private static func nearest(to note: KindleClipping, in groups: [Group]) -> Int? {
        guard let place = note.metadata.range else { return nil }
        // The first group that begins behind the note.
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if start(groups[middle].longest) <= place.upperBound { low = middle + 1 } else { high = middle }
        }
        return groups.indices[..<low].suffix(mostCompared)
            .filter { groups[$0].longest.metadata.kind == .highlight && overlap(groups[$0].longest, note) }
            .min { abs(groups[$0].longest.line - note.line) < abs(groups[$1].longest.line - note.line) }
    }

    private static func add(_ note: KindleClipping, asNoteOf group: inout Group) {
        group.isCut = group.isCut || note.isCut
        for place in group.notes.indices.suffix(mostCompared) {
            if let longer = RepeatedText.longer(group.notes[place], note.text) {
                group.notes[place] = longer
                group.repeats += 1
                return
            }
        }
        group.notes.append(note.text)
    }
}
