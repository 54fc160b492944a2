/// An open check box of Markdown, `[ ]`.
enum CheckBox {
    /// A text with the box ticked that stands before an entry of a list; nil when none stands there.
    ///
    /// - Parameter place: Where the entry's words begin, in UTF-8 bytes.
    static func ticked(before place: Int, in text: String) -> String? {
        var bytes = Array(text.utf8)
        guard place >= 3, place <= bytes.count else { return nil }
        var end = place
        while end > 3, bytes[end - 1] == UInt8(ascii: " ") || bytes[end - 1] == UInt8(ascii: "\t") { end -= 1 }
        guard bytes[end - 3..<end].elementsEqual("[ ]".utf8) else { return nil }
        bytes[end - 2] = UInt8(ascii: "x")
        return String(decoding: bytes, as: UTF8.self)
    }
}
