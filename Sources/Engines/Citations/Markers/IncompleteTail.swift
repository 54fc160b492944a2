import Text

/// The bytes at the end of a chunk that begin a UTF-8 sequence without ending it.
///
/// The texts that ``append(_:)`` and ``finish()`` return make up the text that all bytes at once decode to, wherever the
/// chunks were cut. Bytes that are no UTF-8 become U+FFFD.
struct IncompleteTail {
    private var tail: [UInt8] = []

    /// Decodes what is complete; keeps at most three bytes.
    mutating func append(_ chunk: some Sequence<UInt8>) -> String {
        tail.append(contentsOf: chunk)
        let kept = UTF8Border.incompleteTail(of: tail)
        let text = String(decoding: tail.dropLast(kept), as: UTF8.self)
        tail.removeFirst(tail.count - kept)
        return text
    }

    /// Decodes the rest.
    mutating func finish() -> String {
        defer { tail = [] }
        return String(decoding: tail, as: UTF8.self)
    }
}
