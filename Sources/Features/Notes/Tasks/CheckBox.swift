/// An open check box of Markdown, `[ ]`.
enum CheckBox {
    /// A text with the box ticked with which an entry of a list begins; nil when it begins with none.
    ///
    /// - Parameter place: Where the entry's sentence begins, with or without its box, in UTF-8 bytes.
    static func ticked(at place: Int, in text: String) -> String? {
        var bytes = Array(text.utf8)
        guard place >= 0, place < bytes.count else { return nil }
        let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let box = (start...place).first { bytes[$0...].starts(with: "[ ]".utf8) }
        guard let box else { return nil }
        bytes[box + 1] = UInt8(ascii: "x")
        return String(decoding: bytes, as: UTF8.self)
    }
}
