import HTTPTypes
import Server

extension PairingAddress {
    /// The address for another device: the one that the caller uses, unless that one is this machine's own.
    ///
    /// - Parameter host: The address that the gateway listens on.
    init(for head: HTTPRequest, listeningOn host: String, isEncrypted: Bool) {
        let used = head.authority.flatMap { Authority($0) }
        let isUsable = used.map { !$0.isLoopback && !$0.host.isEmpty } ?? false
        let name = isUsable ? used?.host : Self.hosts(listeningOn: host).first
        self.init(host: name ?? host, port: used?.port, isEncrypted: isEncrypted)
    }
}
