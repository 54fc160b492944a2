/// The text of a block while its markup is read: white space is collapsed as a browser does, soft hyphens are dropped.
struct InlineText {
    private(set) var block = BlockText()
    private var hasSpace = false

    /// Whether there is no text yet.
    var isEmpty: Bool { block.utf8.isEmpty }

    /// Adds text.
    ///
    /// - Parameter isPreserved: Whether white space counts.
    mutating func add(_ text: String, isPreserved: Bool = false) {
        var isSoftHyphen = false
        for byte in text.utf8 {
            if isSoftHyphen {
                isSoftHyphen = false
                if byte == 0xAD { continue }
                put(0xC2)
            }
            switch byte {
            case 0xC2: isSoftHyphen = true
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D:
                if isPreserved { block.utf8.append(byte) } else { hasSpace = true }
            default: put(byte)
            }
        }
    }

    private mutating func put(_ byte: UInt8) {
        space()
        block.utf8.append(byte)
    }

    /// Writes the space that white space before this place means.
    private mutating func space() {
        guard hasSpace else { return }
        hasSpace = false
        guard let last = block.utf8.last, last != 0x0A, last != 0x09 else { return }
        block.utf8.append(0x20)
    }

    /// Ends a line, a cell (tab) or a row.
    mutating func separate(_ byte: UInt8) {
        hasSpace = false
        block.utf8.append(byte)
    }

    mutating func mark(_ kind: BlockText.Mark.Kind) {
        // What begins here begins behind the space.
        space()
        block.marks.append(BlockText.Mark(offset: block.utf8.count, kind: kind))
    }

    /// Adds a paragraph of a table's cell as part of one line.
    mutating func append(_ other: BlockText) {
        if let last = block.utf8.last, last > 0x20 { hasSpace = true }
        var start = 0
        for mark in other.marks {
            let end = min(max(start, mark.offset), other.utf8.count)
            add(String(decoding: other.utf8[start..<end], as: UTF8.self))
            self.mark(mark.kind)
            start = end
        }
        add(String(decoding: other.utf8[start...], as: UTF8.self))
    }

    /// The text so far, which is then empty.
    mutating func take() -> BlockText {
        let result = block
        self = InlineText()
        return result
    }
}
