/// The bytes at the end of a chunk that begin a UTF-8 sequence without ending it.
///
/// The texts that ``append(_:)`` and ``finish()`` return make up the text that all bytes at once decode to, wherever the
/// chunks were cut. Bytes that are no UTF-8 become U+FFFD.
struct IncompleteTail {
    private var tail: [UInt8] = []

    /// Decodes what is complete; keeps at most three bytes.
    mutating func append(_ chunk: some Sequence<UInt8>) -> String {
        tail.append(contentsOf: chunk)
        let kept = Self.incompleteCount(tail)
        let text = String(decoding: tail.dropLast(kept), as: UTF8.self)
        tail.removeFirst(tail.count - kept)
        return text
    }

    /// Decodes the rest.
    mutating func finish() -> String {
        defer { tail = [] }
        return String(decoding: tail, as: UTF8.self)
    }

    /// How many bytes at the end start with a lead byte that promises more than are there.
    private static func incompleteCount(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() {
            let promised =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 0
                }
            if promised > index + 1 { return index + 1 }
            if byte & 0xC0 != 0x80 { return 0 }
        }
        return 0
    }
}
