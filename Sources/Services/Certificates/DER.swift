/// The values of a certificate as bytes (DER, ITU-T X.690): a tag, a length and the content.
enum DER {
    static let (boolean, integer, bits, bytes, identifier, text): (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (
        1, 2, 3, 4, 6, 12
    )
    static let (sequence, set): (UInt8, UInt8) = (0x30, 0x31)

    /// A value whose content is the parts.
    static func value(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap { $0 }
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count > 127 {
            while content.count >> (8 * length.count) > 0 {
                length.insert(UInt8(truncatingIfNeeded: content.count >> (8 * length.count)), at: 0)
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(sequence, parts.flatMap { $0 }) }

    /// Reads the values of a content, one after another.
    struct Reader {
        struct Damaged: Error {}

        private var rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

        /// The tag of the next value; nil at the end.
        var tag: UInt8? { rest.first }

        /// The content of the next value, with tag and length if `whole`.
        ///
        /// - Throws: ``Damaged`` when it has another tag, or goes on beyond the end.
        mutating func next(_ tag: UInt8, whole: Bool = false) throws(Damaged) -> ArraySlice<UInt8> {
            let start = rest
            guard rest.popFirst() == tag, var length = rest.popFirst().map({ Int($0) }) else { throw Damaged() }
            if length > 127 {
                // Lengths of 16 MB and more are of no certificate.
                guard (0x81...0x83).contains(length), rest.count >= length - 0x80 else { throw Damaged() }
                let digits = rest.prefix(length - 0x80)
                rest = rest.dropFirst(digits.count)
                length = digits.reduce(0) { $0 << 8 | Int($1) }
            }
            guard rest.count >= length else { throw Damaged() }
            defer { rest = rest.dropFirst(length) }
            return whole ? start[..<(rest.startIndex + length)] : rest.prefix(length)
        }

        /// A reader of the next value's content.
        mutating func open(_ tag: UInt8 = DER.sequence) throws(Damaged) -> Reader { Reader(try next(tag)) }
    }
}
