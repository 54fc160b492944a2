/// The configured address is not one of this machine now. It may become available when a VPN or an interface is up.
package struct AddressNotAvailable: Error, CustomStringConvertible, Sendable {
    package let host: String

    /// The message for the person who configured the address.
    package var description: String { "\(host) is not an address of this machine now" }

    package init(host: String) { self.host = host }
}
