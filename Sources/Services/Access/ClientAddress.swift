/// Where a connection comes from, as precisely as limits tell clients apart.
package enum ClientAddress: Sendable, Hashable {
    /// This machine, by any of its loopback addresses or a local socket.
    case loopback
    /// An IPv4 address, also one that is mapped into IPv6.
    case v4(UInt32)
    /// The first 64 bits of an IPv6 address: a client has as many addresses as it likes below them.
    case v6(UInt64)

    /// An IPv4 address.
    package init(v4 number: UInt32) { self = number >> 24 == 127 ? .loopback : .v4(number) }

    /// An IPv6 address of 16 bytes.
    package init(v6 bytes: [UInt8]) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        let (network, host) = (number(bytes.prefix(8)), number(bytes.dropFirst(8).prefix(8)))
        switch (network, host) {
        case (0, 1): self = .loopback
        case (0, let host) where host >> 32 == 0xFFFF: self.init(v4: UInt32(truncatingIfNeeded: host))
        default: self = .v6(network)
        }
    }
}
