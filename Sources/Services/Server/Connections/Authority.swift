/// `host[:port]`, as in a `Host` header or an origin. User names and paths are not allowed.
package struct Authority: Sendable, Hashable {
    /// The host in lower case, without the brackets of an IPv6 address; empty only when ``init(_:)`` was given an empty
    /// text.
    package let host: String
    /// The port; nil when the text has none.
    package let port: Int?

    /// Reads a text; nil when it is not `host`, `host:port`, `[address]` or `[address]:port`. A host has letters,
    /// digits, `-`, `.` and `_`; an empty text is an empty host.
    package init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        var rest = text[...]
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            guard !host.isEmpty, host.utf8.allSatisfy({ Self.isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }) else {
                return nil
            }
            rest = rest[rest.index(after: end)...]
        } else {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            host = String(rest[..<end])
            guard host.utf8.allSatisfy(Self.isOfName) else { return nil }
            rest = rest[end...]
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        guard rest.utf8.first == UInt8(ascii: ":"), !host.isEmpty else { return nil }
        let digits = rest.dropFirst()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        self.port = Int(port)
    }

    /// Whether the host is this machine.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" || host.hasSuffix(".localhost") { return true }
        // 127.0.0.0/8, but not a name that begins like it.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
}
