/// The text of a page in reading order.
struct PageText {
    struct Line {
        /// In ``PageText/bytes``, without the line feed.
        var range: Range<Int>
        var box: DocumentBox
        /// The font size of most of its characters in points.
        var size: Float
        /// It begins a paragraph.
        var startsBlock = false
        /// The number of parts with wide gaps between them, as table rows have.
        var cells = 1
    }

    /// UTF-8, NFC; each line ends with a line feed.
    var bytes: [UInt8] = []
    var lines: [Line] = []
    var width = 0.0
    var height = 0.0

    func text(_ line: Line) -> String {
        String(decoding: bytes[line.range], as: UTF8.self)
    }
}
