import Testing

@testable import Machine

/// Which addresses are of the public Internet.
@Suite struct PublicAddresses {
    private func v4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 { a << 24 | b << 16 | c << 8 | d }

    @Test func `private and special networks of IPv4 are not public`() {
        for address in [
            v4(0, 0, 0, 0), v4(10, 1, 2, 3), v4(100, 64, 0, 1), v4(127, 0, 0, 1), v4(169, 254, 169, 254),
            v4(172, 16, 0, 1), v4(172, 31, 255, 255), v4(192, 0, 0, 8), v4(192, 0, 2, 1), v4(192, 168, 1, 1),
            v4(198, 18, 0, 1), v4(198, 51, 100, 7), v4(203, 0, 113, 9), v4(224, 0, 0, 1), v4(255, 255, 255, 255),
        ] { #expect(!PublicAddress.isPublic(v4: address), "\(address)") }
        for address in [
            v4(1, 1, 1, 1), v4(9, 255, 255, 255), v4(11, 0, 0, 0), v4(100, 63, 0, 1), v4(172, 15, 0, 1),
            v4(172, 32, 0, 1), v4(192, 0, 1, 1), v4(193, 0, 0, 1), v4(223, 255, 255, 255),
        ] { #expect(PublicAddress.isPublic(v4: address), "\(address)") }
    }

    @Test func `only global unicast addresses of IPv6 are public`() {
        func address(_ words: [UInt16]) -> [UInt8] {
            (words + [UInt16](repeating: 0, count: 8 - words.count)).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        for bytes in [
            address([]), address([0, 0, 0, 0, 0, 0, 0, 1]), address([0xFE80, 0, 0, 0, 1]), address([0xFC00, 1]),
            address([0xFD12, 1]), address([0xFF02, 1]), address([0x2001, 0xDB8]), address([0x2001, 0, 1]),
            address([0x64, 0xFF9B, 0, 0, 0, 0, 0x7F00, 1]), address([0x2002, 0x7F00, 1]), mapped + [10, 0, 0, 1],
            [1, 2],
        ] { #expect(!PublicAddress.isPublic(v6: bytes), "\(bytes)") }
        for bytes in [address([0x2606, 0x4700]), address([0x2001, 0x4860]), mapped + [1, 1, 1, 1]] {
            #expect(PublicAddress.isPublic(v6: bytes), "\(bytes)")
        }
    }
}
