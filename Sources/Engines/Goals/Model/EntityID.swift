/// A UUID. Its spelling is kept, so that exports have the bytes of the import; comparison ignores upper and lower case.
package struct EntityID: Sendable, CustomStringConvertible {
    /// 8-4-4-4-12 hexadecimal digits, as they were written.
    package let description: String
    private let value: UInt128

    /// Reads a UUID in the usual form; nil for other text.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var value: UInt128 = 0
        for (index, byte) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x61 + 10
            default: return nil
            }
            value = value << 4 | UInt128(digit)
        }
        description = text
        self.value = value
    }

    /// Creates a random UUID (version 4 of RFC 9562), in upper case as the original app writes them.
    package init(using generator: inout some RandomNumberGenerator) {
        let version: UInt128 = 0x4 << 76
        let variant: UInt128 = 0b10 << 62
        let random = UInt128.random(in: 0...UInt128.max, using: &generator)
        value = (random & ~(0xF << 76) & ~(0b11 << 62)) | version | variant
        let digits = String(value, radix: 16, uppercase: true)
        var rest = (String(repeating: "0", count: 32 - digits.count) + digits)[...]
        description = [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }
}

extension EntityID: Hashable, Comparable {
    /// Compares without regard to case.
    package static func == (a: EntityID, b: EntityID) -> Bool { a.value == b.value }

    /// Orders by the digits.
    package static func < (a: EntityID, b: EntityID) -> Bool { a.value < b.value }

    /// Hashes the digits.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
