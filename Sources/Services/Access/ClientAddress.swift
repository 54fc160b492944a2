/// The origin of a connection, as precise as limits need it.
package enum ClientAddress: Sendable, Hashable {
    /// This machine, by any of its loopback addresses or a local socket.
    case loopback
    /// An IPv4 address, also when mapped into IPv6.
    case v4(UInt32)
    /// The first 64 bits of an IPv6 address, because a client can choose the other bits freely.
    case v6(UInt64)

    /// Creates an IPv4 address.
    package init(v4 number: UInt32) { self = number >> 24 == 127 ? .loopback : .v4(number) }

    /// Creates an IPv6 address from 16 bytes.
    package init(v6 bytes: [UInt8]) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        let (network, host) = (number(bytes.prefix(8)), number(bytes.dropFirst(8).prefix(8)))
        switch (network, host) {
        case (0, 1): self = .loopback
        case (0, let host) where host >> 32 == 0xFFFF: self.init(v4: UInt32(truncatingIfNeeded: host))
        default: self = .v6(network)
        }
    }

    /// The address for people; an IPv6 address is its network.
    package var text: String {
        switch self {
        case .loopback: "this machine"
        case .v4(let number): (0..<4).map { String(number >> (24 - 8 * UInt32($0)) & 0xFF) }.joined(separator: ".")
        case .v6(let network):
            (0..<4).map { String(network >> (48 - 16 * UInt64($0)) & 0xFFFF, radix: 16) }.joined(separator: ":")
                + "::/64"
        }
    }
}
