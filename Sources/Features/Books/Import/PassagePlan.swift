package import BookRoom
package import Documents
package import Text

/// Cuts a document into the passages that are searched and embedded.
///
/// A passage is whole sentences of one section. It crosses a page of the file only where a paragraph does. Pure: the same document
/// gives the same passages on every machine.
package struct PassagePlan {
    /// The sizes, chosen on the sets of `selene eval books`.
    package static let sizes = PassageSizes(target: 600, most: 900, overlap: 120, mostOverlap: 250)

    private let document: Document
    private let sizes: PassageSizes
    private let text: [UInt8]

    package init(_ document: Document, sizes: PassageSizes = PassagePlan.sizes) {
        self.document = document
        self.sizes = sizes
        text = Array(document.text.utf8)
    }

    /// The passages in order. Starts and ends both ascend.
    package var passages: [BookPassageRow] {
        var rows: [BookPassageRow] = []
        var heading: Int?
        var nextHeading = 0
        let headings = document.headings
        for region in regions {
            // A region begins with one heading, or with several that nothing lies between; the last one counts.
            while nextHeading < headings.count, headings[nextHeading].range.lowerBound < region.upperBound {
                heading = nextHeading
                nextHeading += 1
            }
            let view = ReadingView(document, range: region)
            let shown = Array(view.text.utf8)
            for part in PassageCutter.prose(view.text, sizes: sizes) {
                guard rows.count < BookPassageRow.tails else { return rows }
                let range = view.canonicalRange(of: part)
                guard !range.isEmpty, range.upperBound > rows.last?.range.upperBound ?? 0 else { continue }
                let isSame = text[range].elementsEqual(shown[part])
                rows.append(
                    BookPassageRow(
                        number: rows.count, range: range, page: page(of: range.lowerBound),
                        lastPage: page(of: range.upperBound - 1), heading: heading,
                        view: isSame ? nil : String(decoding: shown[part], as: UTF8.self)))
            }
        }
        return rows
    }

    /// The parts of the text that no passage crosses the borders of.
    private var regions: [Range<Int>] {
        let borders = Set(sectionStarts + pageStarts).filter { $0 > 0 && $0 < text.count }.sorted()
        let places = [0] + borders + [text.count]
        return zip(places, places.dropFirst()).filter { $0 < $1 }.map { $0..<$1 }
    }

    /// Where sections begin that have more than their heading.
    private var sectionStarts: [Int] {
        let headings = document.headings
        var starts: [Int] = []
        // The start of a section that is a heading only so far; the next one belongs to it.
        var open: Int?
        for (index, heading) in headings.enumerated() {
            let start = heading.range.lowerBound
            if open == nil { starts.append(start) }
            let end = index + 1 < headings.count ? headings[index + 1].range.lowerBound : text.count
            let body = min(heading.range.upperBound, text.count)
            open = text[body..<max(body, min(end, text.count))].allSatisfy { $0 <= 0x20 } ? start : nil
        }
        return starts
    }

    /// Where pages begin that no block crosses. Pages that were cut by length are no borders.
    private var pageStarts: [Int] {
        guard document.numbering != .estimated else { return [] }
        var starts: [Int] = []
        var block = 0
        for page in document.pages.dropFirst() {
            let start = page.range.lowerBound
            while block < document.blocks.count, document.blocks[block].range.upperBound <= start { block += 1 }
            let isCrossed = block < document.blocks.count && document.blocks[block].range.lowerBound < start
            if !isCrossed { starts.append(start) }
        }
        return starts
    }

    /// The number of the last page that begins at or before a byte and is not empty.
    private func page(of offset: Int) -> Int {
        var (low, high) = (0, document.pages.count)
        while low < high {
            let middle = (low + high) / 2
            if document.pages[middle].range.lowerBound <= offset { low = middle + 1 } else { high = middle }
        }
        var index = max(0, low - 1)
        while index > 0, document.pages[index].range.isEmpty { index -= 1 }
        return document.pages.indices.contains(index) ? document.pages[index].number : 1
    }
}
