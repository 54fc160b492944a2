/// An absolute `http` or `https` URL that every program reads the same way.
///
/// Only characters that RFC 3986 allows are accepted, and no user information and no fragment, so that the program that
/// connects cannot find another host in the text than this check did.
package struct PushURL: Hashable, Sendable, CustomStringConvertible {
    /// The longest URL, in bytes.
    package static let limit = 2048

    /// Whether the scheme is `https`.
    package let isSecure: Bool
    package let host: URLHost
    /// The port; of the scheme when the text has none.
    package let port: UInt16
    /// The scheme, host and port, without the port of the scheme: the origin (RFC 6454), in lower case.
    package let origin: String
    /// The URL, with the origin in lower case.
    package let description: String

    /// Reads a URL.
    ///
    /// - Parameter field: The path of the field, for the error.
    package init(_ text: String, field: String) throws(PushFieldError) {
        guard text.utf8.count <= Self.limit else {
            throw PushFieldError(field, "expected at most \(Self.limit) bytes, got \(text.utf8.count)")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw PushFieldError(field, "has a character that a URL must encode with %")
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else {
            throw PushFieldError(field, "must not have a fragment (#)")
        }
        let lower = text.prefix(8).lowercased()
        guard lower == "https://" || lower.hasPrefix("http://") else {
            throw PushFieldError(field, "expected a URL that begins with https:// or http://")
        }
        isSecure = lower == "https://"
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else {
            throw PushFieldError(field, "must not have a user name or password before the host")
        }
        let host: Substring
        var port: Substring?
        if authority.first == "[" {
            host = authority.prefix(through: authority.firstIndex(of: "]") ?? authority.startIndex)
            let tail = authority[host.endIndex...]
            guard tail.isEmpty || tail.first == ":" else { throw PushFieldError(field, "the host cannot be read") }
            port = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            host = authority.prefix { $0 != ":" }
            port = host.endIndex == authority.endIndex ? nil : authority[host.endIndex...].dropFirst()
        }
        guard let parsed = URLHost(host) else { throw PushFieldError(field, "the host cannot be read") }
        self.host = parsed
        let usual: UInt16 = isSecure ? 443 : 80
        if let port {
            guard port.utf8.allSatisfy({ $0.isDigit }), let number = UInt16(port), number > 0 else {
                throw PushFieldError(field, "expected a port from 1 to 65535")
            }
            self.port = number
        } else {
            self.port = usual
        }
        origin = (isSecure ? "https://" : "http://") + host.lowercased() + (self.port == usual ? "" : ":\(self.port)")
        description = origin + rest[authority.endIndex...]
    }

    /// Reads a URL that we send requests to: `https`, and no host of a private network unless those are allowed.
    ///
    /// - Parameter allowsPrivate: Also accepts `http` and hosts of private networks.
    package init(target text: String, field: String, allowsPrivate: Bool) throws(PushFieldError) {
        try self.init(text, field: field)
        guard !allowsPrivate else { return }
        guard isSecure else { throw PushFieldError(field, "expected https://, since requests carry secrets") }
        guard host.isPublic else { throw PushFieldError(field, "the host belongs to a private network") }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
    }
}
