/// Collects what the reader must know about single pages.
struct PageNotes {
    /// Less hidden characters than these on a page are not reported.
    private static let minHidden = 3

    private var failed: [Int] = []
    private var scanned: [Int] = []
    private var unreliable: [Int] = []
    private var hidden: [Int] = []

    /// Takes note of a page, and removes its hidden glyphs.
    mutating func add(_ content: inout PageContent, page: Int) {
        // Text in render mode 3 over an image of the page is the text of a scan.
        if content.imageCoverage < 0.4 {
            let count = content.glyphs.count
            let spaces = content.glyphs.reduce(0) { $0 + ($1.isInvisible && $1.text == 0x20 ? 1 : 0) }
            content.glyphs.removeAll(where: \.isInvisible)
            content.hidden += max(0, count - content.glyphs.count - spaces)
        }
        if content.isFailed { failed.append(page) }
        if content.hidden >= Self.minHidden { hidden.append(page) }
        if content.unmapped > 0, content.unmapped * 20 >= content.glyphs.count { unreliable.append(page) }
        // Where most characters are unknown, the marks for them say nothing.
        if content.unmapped * 2 > content.glyphs.count {
            content.glyphs.removeAll { $0.text == PDFFont.replacement }
        }
        if content.glyphs.isEmpty, content.imageCoverage > 0.3 { scanned.append(page) }
    }

    func notices(isRepaired: Bool, isCut: Bool, limits: DocumentLimits) -> [DocumentNotice] {
        var notices: [DocumentNotice] = []
        func add(_ code: DocumentNotice.Code, _ message: String, _ pages: [Int]) {
            if !pages.isEmpty { notices.append(DocumentNotice(code, message, pages: pages)) }
        }
        add(.failedPages, "\(Self.count(failed)) content that could not be read completely.", failed)
        add(.scannedPages, "\(Self.count(scanned)) only images; text recognition is needed to read them.", scanned)
        add(.unreliablePages, "\(Self.count(unreliable)) characters without a known meaning.", unreliable)
        add(.hiddenText, "\(Self.count(hidden)) text that readers do not see; it was left out.", hidden)
        if isRepaired {
            notices.append(DocumentNotice(.repaired, "The file is damaged and was repaired as far as possible."))
        }
        if isCut {
            notices.append(DocumentNotice(.cut, "The file is larger than a limit; the rest was left out."))
        }
        return notices
    }

    private static func count(_ pages: [Int]) -> String {
        pages.count == 1 ? "1 page has" : "\(pages.count) pages have"
    }
}
