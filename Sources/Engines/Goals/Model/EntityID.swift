/// A UUID. Its spelling is kept, so that exports have the bytes of the import; comparison ignores upper and lower case.
package struct EntityID: Sendable, CustomStringConvertible {
    /// 8-4-4-4-12 hexadecimal digits, as they were written.
    package let description: String
    private let folded: String

    /// Reads a UUID in the usual form; nil for other text.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
            guard [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : isDigit else { return nil }
        }
        description = text
        folded = text.lowercased()
    }

    /// Creates a random UUID (version 4 of RFC 9562), in upper case as the original app writes them.
    package init(using generator: inout some RandomNumberGenerator) {
        let high = (UInt64.random(in: 0...UInt64.max, using: &generator) & ~0xF000) | 0x4000
        let low = (UInt64.random(in: 0...UInt64.max, using: &generator) & ~(0b11 << 62)) | (0b10 << 62)
        func hex(_ value: UInt64) -> String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let (first, second) = (hex(high), hex(low))
        let parts = [
            first.prefix(8), first.dropFirst(8).prefix(4), first.suffix(4), second.prefix(4), second.suffix(12),
        ]
        description = parts.joined(separator: "-")
        folded = description.lowercased()
    }
}

extension EntityID: Hashable, Comparable {
    /// Compares without regard to case.
    package static func == (a: EntityID, b: EntityID) -> Bool { a.folded == b.folded }

    /// Orders by the digits.
    package static func < (a: EntityID, b: EntityID) -> Bool { a.folded < b.folded }

    /// Hashes the digits.
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
