public import Transport

/// One Ollama among several: its name, where it is and the key that it wants.
public struct EndpointConfiguration: Sendable, Hashable {
    /// A short word for logs and headers, unique among the endpoints.
    public var name: String
    /// Where it is, and how much patience it gets.
    public var upstream: UpstreamConfiguration
    /// A bearer key that is sent with every request; nil for none.
    public var key: String?

    /// Creates a configuration; the name is the address when none is given.
    public init(name: String? = nil, upstream: UpstreamConfiguration, key: String? = nil) {
        self.name = name ?? Self.name(of: upstream)
        self.upstream = upstream
        self.key = key
    }

    /// Whether a text may be a name: 1 to 64 letters, digits, dots, dashes, underscores and, for addresses, colons.
    public static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || Array("._-[]".utf8).contains($0)
            }
    }

    /// `host:port`, from the address.
    private static func name(of upstream: UpstreamConfiguration) -> String {
        let rest = upstream.baseURL.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        return String(Substring(rest.prefix { $0 != UInt8(ascii: "/") }))
    }
}
