package import BookRoom
package import Documents
import GatewayAPI

extension BookContents {
    /// Everything that is stored of a document.
    package init(_ document: Document) {
        var details = BookDetails(format: document.format.rawValue, numbering: document.numbering.rawValue)
        details.title = document.title.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        details.authors = document.authors
        details.language = document.language
        details.identifier = document.identifier
        details.notices = document.notices.map {
            Book.Notice(code: $0.code.rawValue, message: $0.message, pages: $0.pages)
        }
        details.cover = document.cover
        self.init(
            details: details, text: Array(document.text.utf8), pages: Self.pages(document),
            headings: Self.headings(document), passages: PassagePlan(document).passages)
    }

    private static func pages(_ document: Document) -> [BookPageRow] {
        var (firstBlock, firstLine) = (0, 0)
        let hasLines = !document.lines.isEmpty
        return document.pages.map { page in
            var row = BookPageRow(number: page.number, label: page.label, range: page.range)
            (row.width, row.height) = (page.width, page.height)
            let (start, end) = (page.range.lowerBound, page.range.upperBound)
            while firstBlock < document.blocks.count, document.blocks[firstBlock].range.upperBound <= start {
                firstBlock += 1
            }
            for block in document.blocks[firstBlock...].prefix(while: { $0.range.lowerBound < end }) {
                row.blocks.append(
                    BookPage.Block(
                        kind: block.kind.rawValue, start: block.range.lowerBound, end: block.range.upperBound))
            }
            guard hasLines else { return row }
            while firstLine < document.lines.count, document.lines[firstLine].range.lowerBound < start {
                firstLine += 1
            }
            row.lines = document.lines[firstLine...].prefix { $0.range.lowerBound < end }.map { line in
                BookPage.Line(
                    start: line.range.lowerBound, end: line.range.upperBound,
                    box: [line.box.x, line.box.y, line.box.width, line.box.height].map { Double($0) })
            }
            return row
        }
    }

    /// A section ends at the next heading of its own or a higher level.
    private static func headings(_ document: Document) -> [BookHeadingRow] {
        let headings = document.headings
        var ends = [Int](repeating: document.text.utf8.count, count: headings.count)
        var open: [Int] = []
        for (index, heading) in headings.enumerated() {
            while let last = open.last, headings[last].level >= heading.level {
                ends[last] = heading.range.lowerBound
                open.removeLast()
            }
            open.append(index)
        }
        return headings.enumerated().map { index, heading in
            let start = heading.range.lowerBound
            return BookHeadingRow(level: heading.level, title: heading.title, range: start..<max(start, ends[index]))
        }
    }
}
