import Foundation

extension Document {
    /// The pages without text that are images, in their order.
    package var pagesToRecognize: [Int] {
        guard let notice = notices.first(where: { $0.code == .scannedPages }) else { return [] }
        // A full list may have been cut; then every page without text is tried.
        guard notice.pages.count >= DocumentNotice.maxPages else { return notice.pages }
        return pages.filter { $0.range.isEmpty }.map(\.number)
    }

    /// The document with the recognized text of pages that had none. All ranges behind move; those of other pages keep
    /// their text.
    ///
    /// - Parameter recognized: By physical number. Pages that are not there, or have text already, stay as they are.
    package func adding(_ recognized: [Int: RecognizedPage]) -> Document {
        var document = self
        let old = Array(text.utf8)
        var bytes: [UInt8] = []
        var blocks: [DocumentBlock] = []
        var lines: [DocumentLine] = []
        var headings: [DocumentHeading] = []
        var (nextBlock, nextLine, nextHeading) = (0, 0, 0)
        var done: Set<Int> = []
        for (place, page) in pages.enumerated() {
            let start = bytes.count
            if page.range.isEmpty, let found = recognized[page.number], !found.lines.isEmpty {
                // What stands before ends with an empty line, so that paragraphs of two pages stay two.
                if !bytes.isEmpty { while !bytes.suffix(2).elementsEqual([0x0A, 0x0A]) { bytes.append(0x0A) } }
                found.append(to: &bytes, blocks: &blocks, lines: &lines, page: page)
                done.insert(page.number)
            } else {
                let shift = start - page.range.lowerBound
                let isLast = place == pages.count - 1
                func isHere(_ range: Range<Int>) -> Bool { range.lowerBound < page.range.upperBound || isLast }
                func moved(_ range: Range<Int>) -> Range<Int> {
                    let end = min(range.upperBound, page.range.upperBound)
                    return range.lowerBound + shift..<max(range.lowerBound, end) + shift
                }
                while nextBlock < self.blocks.count, isHere(self.blocks[nextBlock].range) {
                    blocks.append(
                        DocumentBlock(kind: self.blocks[nextBlock].kind, range: moved(self.blocks[nextBlock].range)))
                    nextBlock += 1
                }
                while nextLine < self.lines.count, isHere(self.lines[nextLine].range) {
                    lines.append(DocumentLine(range: moved(self.lines[nextLine].range), box: self.lines[nextLine].box))
                    nextLine += 1
                }
                while nextHeading < self.headings.count, isHere(self.headings[nextHeading].range) {
                    var heading = self.headings[nextHeading]
                    heading.range = moved(heading.range)
                    headings.append(heading)
                    nextHeading += 1
                }
                bytes += old[page.range]
            }
            document.pages[place].range = start..<bytes.count
        }
        document.text = String(decoding: bytes, as: UTF8.self)
        (document.blocks, document.lines, document.headings) = (blocks, lines, headings)
        document.note(recognized: done)
        return document
    }

    private mutating func note(recognized done: Set<Int>) {
        guard !done.isEmpty, let place = notices.firstIndex(where: { $0.code == .scannedPages }) else { return }
        let rest = pagesToRecognize.filter { !done.contains($0) }
        if rest.isEmpty {
            notices.remove(at: place)
        } else {
            let words = rest.count == 1 ? "1 page has" : "\(rest.count) pages have"
            notices[place] = DocumentNotice(
                .scannedPages, "\(words) only images, and no text was recognized on them.", pages: rest)
        }
        let words = done.count == 1 ? "1 page is an image" : "\(done.count) pages are images"
        notices.append(
            DocumentNotice(
                .recognizedPages, "\(words); the text was recognized and may have errors.", pages: done.sorted()))
    }
}

extension RecognizedPage {
    /// Appends the page's paragraphs, each followed by an empty line as on pages with text.
    fileprivate func append(
        to bytes: inout [UInt8], blocks: inout [DocumentBlock], lines: inout [DocumentLine], page: DocumentPage
    ) {
        let scaleX = width > 0 ? Float(page.width ?? 0) / width : 0
        let scaleY = height > 0 ? Float(page.height ?? 0) / height : 0
        var start = bytes.count
        func close() {
            guard bytes.count > start else { return }
            // The line feed of the last line is not the block's.
            blocks.append(DocumentBlock(kind: .paragraph, range: start..<bytes.count - 1))
            bytes.append(0x0A)
            start = bytes.count
        }
        for line in self.lines {
            if line.startsBlock { close() }
            let from = bytes.count
            bytes += Array(line.text.precomposedStringWithCanonicalMapping.utf8)
            let box = DocumentBox(
                x: line.box.x * scaleX, y: line.box.y * scaleY, width: line.box.width * scaleX,
                height: line.box.height * scaleY)
            lines.append(DocumentLine(range: from..<bytes.count, box: box))
            bytes.append(0x0A)
        }
        close()
    }
}
