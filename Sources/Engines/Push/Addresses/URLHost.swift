import Machine

package enum URLHost: Hashable, Sendable {
    /// A name in lower case.
    case name(String)
    /// An IPv4 address, in the order of its four numbers.
    case v4(UInt32)
    /// The 16 bytes of an IPv6 address.
    case v6([UInt8])

    /// Domains that no one owns on the Internet.
    private static let localDomains = ["localhost", "local", "lan", "internal", "home.arpa", "onion"]

    /// Whether the host may be of the public Internet: a public address, or a name outside the domains of local networks.
    ///
    /// A name that passes may still have a private address. The connection has to check the address that it uses.
    package var isPublic: Bool {
        switch self {
        case .v4(let address): PublicAddress.isPublic(v4: address)
        case .v6(let bytes): PublicAddress.isPublic(v6: bytes)
        case .name(let name):
            name.utf8.contains(UInt8(ascii: "."))
                && !Self.localDomains.contains { name == $0 || name.hasSuffix(".\($0)") }
        }
    }

    /// Whether the host is the machine itself.
    package var isThisMachine: Bool {
        switch self {
        case .v4(let address): address >> 24 == 127
        case .v6(let bytes): bytes == [UInt8](repeating: 0, count: 15) + [1]
        case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
        }
    }

    /// Reads a host without its port.
    ///
    /// Numbers have to be written the usual way: `0x7f.1`, `127.1` and `010.0.0.1`, which some programs take for
    /// addresses, are refused, as are percent signs, characters outside ASCII and empty labels.
    init?(_ text: Substring) {
        // Some letters outside ASCII become ASCII in lower case.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if text.first == "[" {
            guard text.last == "]", let bytes = Self.bytes(ofIPv6: text.dropFirst().dropLast()) else { return nil }
            self = .v6(bytes)
            return
        }
        let name = text.lowercased()
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return nil }
        if last.utf8.first?.isDigit ?? true {
            guard let address = Self.number(ofIPv4: name[...]) else { return nil }
            self = .v4(address)
        } else {
            self = .name(name)
        }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.utf8.first != 0x2D && label.utf8.last != 0x2D
            && label.utf8.allSatisfy { $0.isWordCharacter }
    }

    private static func number(ofIPv4 text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard part.utf8.allSatisfy(\.isDigit), let number = UInt8(part), String(number) == part else { return nil }
            address = address << 8 | UInt32(number)
        }
        return address
    }

    private static func bytes(ofIPv6 text: Substring) -> [UInt8]? {
        guard (2...45).contains(text.utf8.count) else { return nil }
        guard let gap = text.firstRange(of: "::") else {
            guard let groups = groups(text), groups.count == 16 else { return nil }
            return groups
        }
        guard let front = groups(text[..<gap.lowerBound], mayEndInIPv4: false),
            let back = groups(text[gap.upperBound...]),
            front.count + back.count <= 14
        else { return nil }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    /// The bytes of groups between colons; the last one may be an IPv4 address.
    private static func groups(_ text: Substring, mayEndInIPv4: Bool = true) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, let address = number(ofIPv4: part) {
                bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: address >> $0) }
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.first != 0x2B, let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes
    }
}
