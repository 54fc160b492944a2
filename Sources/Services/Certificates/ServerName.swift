#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A name or address under which browsers reach the gateway.
package enum ServerName: Sendable, Hashable {
    /// A DNS name in lower case.
    case name(String)
    /// The 4 or 16 bytes of an address.
    case address([UInt8])

    /// Reads a DNS name or an IP address; nil for anything else, also for wildcards.
    package init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self = .address(Array(bytes.prefix(4)))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self = .address(bytes)
        } else {
            let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
            let isName = labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            }
            // A last label of digits would be an address.
            guard isName, text.utf8.count <= 253, labels.last?.contains(where: \.isLetter) == true else { return nil }
            self = .name(labels.joined(separator: "."))
        }
    }

    /// Reads a name of a certificate; nil for other kinds.
    init?(tag: UInt8, _ content: ArraySlice<UInt8>) {
        switch tag {
        case 0x82: self = .name(String(decoding: content, as: UTF8.self).lowercased())
        case 0x87 where content.count == 4 || content.count == 16: self = .address(Array(content))
        default: return nil
        }
    }

    /// The name as certificates have it.
    var generalName: [UInt8] {
        switch self {
        case .name(let text): DER.value(0x82, Array(text.utf8))
        case .address(let bytes): DER.value(0x87, bytes)
        }
    }

    /// The name, or the address in numbers.
    package var text: String {
        switch self {
        case .name(let text): return text
        case .address(let bytes):
            var buffer = [CChar](repeating: 0, count: 64)
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
            return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Whether no other machine of the internet has this name or address: private networks (RFC 1918, 6598, 4193),
    /// loopback, and names of local networks.
    var isLocal: Bool {
        switch self {
        case .name(let text):
            return Self.localDomains.contains { text == $0 || text.hasSuffix(".\($0)") }
        case .address(let bytes):
            return Self.localRanges.contains { range in
                bytes.count * 2 == range.count
                    && bytes.indices.allSatisfy { bytes[$0] & range[bytes.count + $0] == range[$0] }
            }
        }
    }

    /// Domains that belong to no one on the internet.
    static let localDomains = ["localhost", "local", "lan", "internal", "home.arpa"]
    /// Networks that belong to no one on the internet: the address, then the mask.
    static let localRanges: [[UInt8]] = [
        [10, 0, 0, 0, 255, 0, 0, 0], [172, 16, 0, 0, 255, 240, 0, 0], [192, 168, 0, 0, 255, 255, 0, 0],
        [100, 64, 0, 0, 255, 192, 0, 0], [127, 0, 0, 0, 255, 0, 0, 0],
        [0xFC] + [UInt8](repeating: 0, count: 15) + [0xFE] + [UInt8](repeating: 0, count: 15),
        [UInt8](repeating: 0, count: 15) + [1] + [UInt8](repeating: 255, count: 16),
    ]
}
