import Machine

/// The address that a new device opens to pair.
package struct PairingAddress: Sendable, Hashable {
    /// The gateway's address without a path: `https://host:port`.
    package let base: String

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - host: A name or an address; an IPv6 address without brackets.
    ///   - port: The port; left out of the address when it is the usual one.
    package init(host: String, port: Int?, isEncrypted: Bool) {
        let name = host.contains(":") ? "[\(host)]" : host
        let usual = isEncrypted ? 443 : 80
        let end = port.map { $0 == usual ? "" : ":\($0)" } ?? ""
        base = "\(isEncrypted ? "https" : "http")://\(name)\(end)"
    }

    /// Creates an address from text.
    package init(base: String) { self.base = base.hasSuffix("/") ? String(base.dropLast()) : base }

    /// The address with a code in its fragment, which browsers do not send and servers do not log.
    package func url(_ code: String) -> String { "\(base)/#pair=\(code)" }

    /// The address of the page that offers the certificate of the gateway's authority.
    package var authorityPage: String { "\(base)/ca" }

    /// The hosts under which other devices may reach a gateway.
    ///
    /// - Parameter host: The address that the gateway listens on.
    package static func hosts(listeningOn host: String) -> [String] {
        switch host {
        case "0.0.0.0": NetworkAddresses.current.filter { !$0.contains(":") }
        case "::", "[::]": NetworkAddresses.current
        default: [host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host]
        }
    }
}
