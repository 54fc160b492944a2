package import NIOCore

/// Looks for a name of Ollama's cloud in a form's fields, in the bytes as they pass: `:cloud` or `-cloud` at the end of a line, in
/// any letter case. A form's text fields end with the line.
package struct MultipartModel: Sendable {
    private static let word = Array("cloud".utf8)
    /// The matched bytes of the mark and the word.
    private var matched = 0
    /// Whether the word was matched, and only spaces followed.
    private var isWhole = false
    /// Whether such a name was seen.
    package private(set) var namesCloud = false

    package init() {}

    /// Looks at the next part of the body.
    package mutating func push(_ bytes: ByteBuffer) {
        guard !namesCloud else { return }
        for byte in bytes.readableBytesView {
            if isWhole {
                if byte == 0x0D || byte == 0x0A || byte == UInt8(ascii: "\"") {
                    namesCloud = true
                    return
                }
                if byte == 0x20 || byte == 0x09 { continue }
                isWhole = false
            }
            if matched > 0, byte | 0x20 == Self.word[matched - 1] {
                matched += 1
                if matched > Self.word.count { (matched, isWhole) = (0, true) }
            } else {
                matched = byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") ? 1 : 0
            }
        }
    }
}
