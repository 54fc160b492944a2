package import Access
package import NIOCore

extension ClientAddress {
    /// Reads the address of a peer. An unknown address counts as loopback.
    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let peer):
            // The address follows the family and the port, on every system.
            let bytes = unsafe withUnsafeBytes(of: peer.address) { unsafe Array($0.dropFirst(4).prefix(4)) }
            self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case .v6(let peer):
            // It also follows the flow label.
            unsafe self.init(v6: withUnsafeBytes(of: peer.address) { unsafe Array($0.dropFirst(8).prefix(16)) })
        default: self = .loopback
        }
    }
}
