package import HTTPTypes

/// The path of a request as all that answer see it, made once from what the client wrote.
///
/// Some clients can be given an address and nothing else. For them a key stands in front of any path: `/k/KEY/api/tags`. It
/// moves to the header `Authorization` before anything reads the path, so that it stands in no log, metric, error, redirect
/// or request to an upstream. ``Credential`` knows it by its scheme, since only some keys may stand there.
package enum RequestPath {
    /// The scheme of ``Credential/path(_:)``.
    static let scheme = "path"
    private static let start = "/k/"
    /// The fewest bytes of a word that is taken for a key wherever it stands.
    private static let keyBytes = 40

    /// The head with its path in the one spelling, and with the key of its path in the header; nil when both are so already,
    /// which costs little.
    package static func received(_ head: HTTPRequest) -> HTTPRequest? {
        guard let written = head.path else { return nil }
        let plain = PathNormalization.plain(written)
        let path = plain ?? written
        if let (key, rest) = keyed(path) {
            var head = head
            // A key that the client sends besides, often an invented one, does not count.
            head.headerFields[.authorization] = "\(scheme) \(key)"
            head.headerFields[.apiKey] = nil
            head.path = hidingKeys(rest) ?? rest
            return head
        }
        guard let changed = hidingKeys(path) ?? plain else { return nil }
        var head = head
        head.path = changed
        return head
    }

    /// The key in front of a path, and the path behind it; nil without one.
    private static func keyed(_ path: String) -> (key: Substring, rest: String)? {
        guard path.utf8.starts(with: start.utf8) else { return nil }
        let key = path.utf8.dropFirst(start.utf8.count).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let rest = String(Substring(path.utf8.dropFirst(start.utf8.count + key.count)))
        return (Substring(key), rest.utf8.first == UInt8(ascii: "/") ? rest : "/" + rest)
    }

    /// The path without keys: one at a wrong place leads nowhere, and must not reach a log. nil without one.
    private static func hidingKeys(_ path: String) -> String? {
        guard path.utf8.count > keyBytes else { return nil }
        let prefixes = CredentialCheck.keyPrefixes
        func isKey(_ word: Substring.UTF8View) -> Bool {
            word.count >= keyBytes && prefixes.contains { word.starts(with: $0.utf8) }
        }
        let end = path.utf8.firstIndex(of: UInt8(ascii: "?")) ?? path.utf8.endIndex
        let words = path.utf8[..<end].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard words.contains(where: isKey) else { return nil }
        return words.map { isKey($0) ? String(Substring($0.prefix(4))) + "hidden" : String(Substring($0)) }
            .joined(separator: "/") + path[end...]
    }
}
