/// Joins the table of contents of a book with the headings of its text.
enum EPUBHeadings {
    /// The entries of the contents at their places, with the text's own headings below them.
    ///
    /// An entry takes the range of the heading that its link leads to. Headings of the text that no entry leads to keep
    /// their order, one level below the entry that they stand under or deeper.
    static func headings(
        _ entries: [(entry: EPUBContents.Entry, place: Int?)], _ builder: DocumentBuilder
    ) -> [DocumentHeading] {
        guard entries.contains(where: { $0.place != nil }) else { return builder.headings }
        var places: [Int?] = entries.map(\.place)
        // An entry without a link has the place of the first one below it.
        for index in places.indices.reversed() where places[index] == nil && index + 1 < places.count {
            if entries[index + 1].entry.level > entries[index].entry.level { places[index] = places[index + 1] }
        }
        var taken: Set<Int> = []
        var result: [(heading: DocumentHeading, order: Int)] = []
        for (index, place) in places.enumerated() {
            guard let place else { continue }
            var range = place..<place
            if let block = heading(at: place, in: builder), !taken.contains(block) {
                taken.insert(block)
                range = builder.blocks[block].range
            }
            result.append(
                (
                    DocumentHeading(level: entries[index].entry.level, title: entries[index].entry.title, range: range),
                    index
                ))
        }
        let takenPlaces = Set(taken.map { builder.blocks[$0].range.lowerBound })
        let own = builder.headings.filter { !takenPlaces.contains($0.range.lowerBound) }
        return merge(
            result.sorted { ($0.heading.range.lowerBound, $0.order) < ($1.heading.range.lowerBound, $1.order) }.map(
                \.heading), own)
    }

    private static func merge(_ contents: [DocumentHeading], _ own: [DocumentHeading]) -> [DocumentHeading] {
        var (result, next, level): ([DocumentHeading], Int, Int) = ([], 0, 0)
        for heading in own {
            while next < contents.count, contents[next].range.lowerBound <= heading.range.lowerBound {
                level = contents[next].level
                result.append(contents[next])
                next += 1
            }
            result.append(
                DocumentHeading(
                    level: min(6, max(heading.level, level + 1)), title: heading.title, range: heading.range))
        }
        return result + contents[next...]
    }

    /// The index of the heading's block that begins at a place, or directly behind it.
    private static func heading(at place: Int, in builder: DocumentBuilder) -> Int? {
        var (low, high) = (0, builder.blocks.count)
        while low < high {
            let middle = (low + high) / 2
            if builder.blocks[middle].range.upperBound <= place { low = middle + 1 } else { high = middle }
        }
        guard low < builder.blocks.count, builder.blocks[low].kind == .heading else { return nil }
        return low
    }
}
