package import Transport

/// The name, address and key of one of several Ollama servers.
package struct EndpointConfiguration: Sendable, Hashable {
    /// A short name for logs and headers, unique among the endpoints.
    package var name: String
    /// The address and timeouts.
    package var upstream: UpstreamConfiguration
    /// The bearer key for every request; nil for none.
    package var key: String?

    /// Creates a configuration; the name defaults to the address.
    package init(name: String? = nil, upstream: UpstreamConfiguration, key: String? = nil) {
        self.name = name ?? Self.name(of: upstream)
        self.upstream = upstream
        self.key = key
    }

    /// Whether a text is a valid name: 1 to 64 letters, digits, dots, dashes, underscores and, for addresses, colons.
    package static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || Array("._-[]".utf8).contains($0)
            }
    }

    /// Returns `host:port` of the address.
    private static func name(of upstream: UpstreamConfiguration) -> String {
        let rest = upstream.baseURL.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        return String(Substring(rest.prefix { $0 != UInt8(ascii: "/") }))
    }
}
