package import Access
package import NIOCore

extension ClientAddress {
    /// The address of a peer; one that is unknown counts as this machine's.
    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let peer):
            // The address stands behind the family and the port, on every system.
            let bytes = unsafe withUnsafeBytes(of: peer.address) { unsafe Array($0.dropFirst(4).prefix(4)) }
            self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case .v6(let peer):
            // Behind the label of the flow, too.
            unsafe self.init(v6: withUnsafeBytes(of: peer.address) { unsafe Array($0.dropFirst(8).prefix(16)) })
        default: self = .loopback
        }
    }
}
