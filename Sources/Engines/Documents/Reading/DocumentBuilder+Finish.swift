internal import Text

/// What a file says about its document.
struct DocumentMetadata: Equatable {
    var title: String?
    var authors: [String] = []
    var language: String?
    var identifier: String?
    /// Text that begins with a date in ISO 8601; other text is ignored.
    var published: String?
    var cover: [UInt8]?
}

extension DocumentBuilder {
    /// Where the pages of a document come from.
    enum Paging {
        /// The borders that the file has.
        case given(PageNumbering)
        /// One page for each part of the text that begins at one of these places; longer parts are cut by length.
        case sections([Int])
        /// Cut by length.
        case estimated
    }

    /// Makes the document.
    ///
    /// - Parameter headings: The headings of the file's contents, if they are to replace those of the text.
    /// - Throws: `empty` when there is no text.
    func document(
        _ format: DocumentFormat, _ metadata: DocumentMetadata, paging: Paging, headings: [DocumentHeading]? = nil
    ) throws(DocumentError) -> Document {
        guard !blocks.isEmpty else {
            throw DocumentError(.empty, "The file has no text.")
        }
        var (starts, numbering) = pages(paging)
        var text = utf8
        var isCut = isCut
        if starts.count > limits.pages {
            text = Array(text.prefix(starts[limits.pages].offset))
            starts.removeSubrange(limits.pages...)
            isCut = true
        }
        let end = text.count
        let pages = starts.indices.map { index in
            let next = index + 1 < starts.count ? starts[index + 1].offset : end
            return DocumentPage(number: index + 1, label: starts[index].label, range: starts[index].offset..<next)
        }
        var notices = notices
        if isCut {
            notices.append(DocumentNotice(.cut, "The document is longer than the limit; the rest was left out."))
        }
        return Document(
            format: format, title: Self.normalized(metadata.title),
            authors: metadata.authors.compactMap(Self.normalized),
            language: LanguageTag.tag(metadata.language), identifier: Self.normalized(metadata.identifier),
            published: Self.date(metadata.published), text: String(decoding: text, as: UTF8.self), pages: pages,
            numbering: numbering,
            headings: (headings ?? self.headings).filter { $0.range.upperBound <= end },
            blocks: blocks.compactMap { block in
                let range = block.range.clamped(to: 0..<end)
                return range.isEmpty ? nil : DocumentBlock(kind: block.kind, range: range)
            },
            notices: notices, cover: metadata.cover)
    }

    /// The starts of the pages; the first one is 0.
    private func pages(_ paging: Paging) -> (starts: [PageStart], numbering: PageNumbering) {
        switch paging {
        case .given(let numbering):
            guard let first = pageStarts.first else { break }
            // The separator before the first page of the text belongs to it.
            let isWhole = blocks.first.map { first.offset <= $0.range.lowerBound } ?? true
            if !isWhole { return ([PageStart(offset: 0, label: nil)] + pageStarts, numbering) }
            return ([PageStart(offset: 0, label: first.label)] + pageStarts.dropFirst(), numbering)
        case .sections(let sections):
            var cutter = PageCutter(utf8: utf8, blocks: blocks)
            let inside = sections.filter { $0 > 0 && $0 < utf8.count }
            let borders = [0] + inside + [utf8.count]
            var starts: [PageStart] = []
            for (start, end) in zip(borders, borders.dropFirst()) where start < end {
                starts.append(PageStart(offset: start))
                starts += cutter.cuts(in: start..<end).map { PageStart(offset: $0) }
            }
            return (starts, starts.count == borders.count - 1 && inside.count > 0 ? .headings : .estimated)
        case .estimated: break
        }
        var cutter = PageCutter(utf8: utf8, blocks: blocks)
        return (([0] + cutter.cuts(in: 0..<utf8.count)).map { PageStart(offset: $0) }, .estimated)
    }

    /// The starts of the main parts by the text's headings: those of the highest level that occurs twice or more, and of
    /// the levels above it.
    func mainSections(_ headings: [DocumentHeading]? = nil) -> [Int] {
        let headings = headings ?? self.headings
        let counts = headings.reduce(into: [Int: Int]()) { $0[$1.level, default: 0] += 1 }
        guard let level = counts.filter({ $0.value > 1 }).keys.min() else { return [] }
        var starts: [Int] = []
        var index = 0
        for heading in headings where heading.level <= level {
            let start = heading.range.lowerBound
            guard start > starts.last ?? 0 else { continue }
            // A heading directly below another one belongs to its page.
            while index < blocks.count, blocks[index].range.upperBound <= start { index += 1 }
            let follows = index > 0 && blocks[index - 1].kind == .heading && starts.last != nil
            let above = follows ? blocks[index - 1].range.lowerBound : 0
            if follows, let last = starts.last, last >= above { continue }
            starts.append(start)
        }
        return starts
    }

    /// Text that begins with a year and is as long as ISO 8601 may be.
    private static func date(_ text: String?) -> String? {
        guard let line = normalized(text), line.utf8.count <= 40 else { return nil }
        let year = line.utf8.prefix(4)
        guard year.count == 4, year.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return line.utf8.count == 4 || line.dropFirst(4).first == "-" ? line : nil
    }

    /// One line without white space at the ends; nil when nothing is left.
    private static func normalized(_ text: String?) -> String? {
        guard let text else { return nil }
        let line = CanonicalText.line(text)
        guard line.utf8.count > 2000 else { return line.isEmpty ? nil : line }
        return UTF8Border.part(of: line, 0..<2000).text
    }
}
