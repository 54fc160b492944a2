/// The address to listen on is none of this machine's: it may come yet, when a VPN or an interface is up.
public struct AddressNotAvailable: Error, CustomStringConvertible, Sendable {
    /// The address.
    public let host: String

    /// What to tell the person who set it.
    public var description: String { "\(host) is not an address of this machine now" }

    package init(host: String) { self.host = host }
}
