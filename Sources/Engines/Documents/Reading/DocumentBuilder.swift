internal import Text

/// Collects the one text of a document block by block, with the places of pages, headings and link targets.
///
/// Blocks are separated by an empty line, items of one list by a line feed. When the text is as long as the limit, further
/// blocks are left out and ``isCut`` is set.
struct DocumentBuilder {
    struct PageStart: Equatable {
        var offset: Int
        var label: String?
    }

    let limits: DocumentLimits
    private(set) var utf8: [UInt8] = []
    private(set) var blocks: [DocumentBlock] = []
    /// The headings of the text.
    private(set) var headings: [DocumentHeading] = []
    /// The borders that the file has, in order.
    private(set) var pageStarts: [PageStart] = []
    /// The places of named link targets; the first of two equal names counts.
    private(set) var anchors: [String: Int] = [:]
    /// Whether something was left out because of a limit.
    private(set) var isCut = false
    var notices: [DocumentNotice] = []
    /// What begins with the next block.
    private var pending: [BlockText.Mark.Kind] = []

    static let maxAnchors = 1_000_000
    /// A heading is a short text. A longer one is a paragraph in a heading's clothes.
    static let maxHeadingBytes = 600

    init(limits: DocumentLimits) { self.limits = limits }

    /// A builder with a text that is canonical already, such as the one of a plain text file.
    init(canonical text: [UInt8], limits: DocumentLimits) {
        self.init(limits: limits)
        utf8 = text
        if text.count > limits.textBytes {
            utf8 = Array(text.prefix(UTF8Border.before(limits.textBytes, in: text)))
            isCut = true
        }
    }

    /// Notes what begins with the next block.
    mutating func mark(_ kind: BlockText.Mark.Kind) { pending.append(kind) }

    /// Adds a block at the end of the text.
    ///
    /// - Parameter level: The level of a heading, 1 to 6.
    /// - Returns: The block's bytes; nil when the block has no text or no room.
    @discardableResult
    mutating func append(_ kind: DocumentBlock.Kind, _ raw: BlockText, level: Int? = nil) -> Range<Int>? {
        var text = raw.canonical()
        guard !text.utf8.isEmpty else {
            pending += text.marks.map(\.kind)
            return nil
        }
        let isList = kind == .listItem && blocks.last?.kind == .listItem
        let separator: [UInt8] = utf8.isEmpty ? [] : isList ? [0x0A] : [0x0A, 0x0A]
        let room = limits.textBytes - utf8.count - separator.count
        if text.utf8.count > room {
            isCut = true
            guard room > 0, !isFull else { return nil }
            text.utf8 = Array(text.utf8.prefix(UTF8Border.before(room, in: text.utf8)))
            guard !text.utf8.isEmpty else { return nil }
        }
        utf8 += separator
        let start = utf8.count
        utf8 += text.utf8
        for kind in pending { place(kind, at: start) }
        pending = []
        for mark in text.marks {
            // What begins at the end of this block begins with the next one.
            if mark.offset >= text.utf8.count {
                pending.append(mark.kind)
            } else {
                place(mark.kind, at: start + mark.offset)
            }
        }
        let range = start..<utf8.count
        add(kind, range, level: level)
        return range
    }

    /// Adds a block over text that is there already, behind the last block.
    mutating func add(
        _ kind: DocumentBlock.Kind, _ range: Range<Int>, level: Int? = nil, title: String? = nil
    ) {
        guard !range.isEmpty, range.upperBound <= utf8.count else { return }
        guard kind == .heading, let level, range.count <= Self.maxHeadingBytes else {
            blocks.append(DocumentBlock(kind: kind == .heading ? .paragraph : kind, range: range))
            return
        }
        blocks.append(DocumentBlock(kind: kind, range: range))
        let title = title ?? CanonicalText.line(String(decoding: utf8[range], as: UTF8.self))
        headings.append(DocumentHeading(level: min(6, max(1, level)), title: title, range: range))
    }

    /// Notes that a page begins at a place of the text that is there already.
    mutating func startPage(at offset: Int, label: String? = nil) {
        guard offset >= pageStarts.last?.offset ?? 0, offset <= utf8.count else { return }
        guard pageStarts.count <= limits.pages else {
            isCut = true
            return
        }
        pageStarts.append(PageStart(offset: offset, label: label))
    }

    /// Replaces the pages by those of a list, such as the page list of a book.
    mutating func replacePages(_ starts: [PageStart]) {
        pageStarts = []
        for start in starts.sorted(by: { $0.offset < $1.offset }) { startPage(at: start.offset, label: start.label) }
    }

    /// Whether the next block has no room.
    var isFull: Bool { utf8.count >= limits.textBytes }

    func text(_ range: Range<Int>) -> String {
        String(decoding: utf8[range.clamped(to: 0..<utf8.count)], as: UTF8.self)
    }

    private mutating func place(_ kind: BlockText.Mark.Kind, at offset: Int) {
        switch kind {
        case .page(let label): startPage(at: offset, label: label)
        case .anchor(let name):
            guard anchors.count < Self.maxAnchors, anchors[name] == nil else { return }
            anchors[name] = offset
        }
    }

    /// Places at the end of the text what waits for a next block. Call it when no block follows.
    mutating func end() {
        for kind in pending { place(kind, at: utf8.count) }
        pending = []
    }
}
