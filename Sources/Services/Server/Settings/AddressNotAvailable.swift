/// The configured address is not one of this machine now. It may become available when a VPN or an interface is up.
public struct AddressNotAvailable: Error, CustomStringConvertible, Sendable {
    /// The address.
    public let host: String

    /// The message for the person who configured the address.
    public var description: String { "\(host) is not an address of this machine now" }

    package init(host: String) { self.host = host }
}
