#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tells the addresses of the public Internet from those of private networks and special uses (RFC 6890).
package enum PublicAddress {
    /// Networks of IPv4 that are not public: the first address, and the length of the prefix.
    private static let special: [(network: UInt32, length: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
        (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    /// - Parameter address: In the order of its four numbers.
    package static func isPublic(v4 address: UInt32) -> Bool {
        !special.contains { (address ^ $0.network) >> (32 - $0.length) == 0 }
    }

    /// - Parameter bytes: The 16 bytes in network order.
    package static func isPublic(v6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        func v4(at start: Int) -> UInt32 { bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        if bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isPublic(v4: v4(at: 12))
        }
        // Global unicast addresses begin with the bits 001.
        guard bytes[0] >> 5 == 1 else { return false }
        if bytes[0] == 0x20, bytes[1] == 0x02 { return isPublic(v4: v4(at: 2)) }
        guard bytes[0] == 0x20, bytes[1] == 0x01 else { return true }
        // 2001::/23 is for special protocols, 2001:db8::/32 for documentation.
        return bytes[2] >= 0x02 && !(bytes[2] == 0x0D && bytes[3] == 0xB8)
    }

    /// Whether a socket address is public; false for families other than IPv4 and IPv6.
    package static func isPublic(_ address: UnsafeRawPointer, length: Int) -> Bool {
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: length)
        guard length >= MemoryLayout<sockaddr>.size else { return false }
        switch Int32(unsafe bytes.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            return isPublic(v4: UInt32(bigEndian: unsafe bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let parts = unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe isPublic(v6: withUnsafeBytes(of: parts) { unsafe [UInt8]($0) })
        default: return false
        }
    }
}
