/// The marked content that is open: stated text, hidden layers.
struct MarkedContent {
    struct Mark {
        /// The text that the file states for the content.
        var text: [UInt32]?
        var isHidden: Bool
        /// The index of its first glyph.
        var start: Int
    }

    private var marks: [Mark] = []
    private var hidden = 0
    private var leftOut = 0
    private static let maxMarks = 1024

    var isHidden: Bool { hidden > 0 }
    var depth: Int { marks.count + leftOut }

    mutating func begin(_ text: [UInt32]?, isHidden: Bool, at start: Int) {
        guard marks.count < Self.maxMarks else {
            leftOut += 1
            return
        }
        marks.append(Mark(text: text, isHidden: isHidden, start: start))
        if isHidden { hidden += 1 }
    }

    mutating func end() -> Mark? {
        if leftOut > 0 {
            leftOut -= 1
            return nil
        }
        let mark = marks.popLast()
        if mark?.isHidden == true { hidden -= 1 }
        return mark
    }
}
