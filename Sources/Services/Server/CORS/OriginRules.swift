import HTTPTypes

/// Decides which web pages may call the gateway from a browser.
///
/// Pages of this machine and of the applications that Ollama trusts always may. Listed origins may only on a gateway
/// that needs keys: without keys, a foreign page could do whatever the person at the browser can.
package struct OriginRules: Sendable, Hashable {
    /// The largest number of listed origins.
    static let maxListed = 100
    /// The longest accepted origin, in bytes.
    package static let maxBytes = 512
    /// The schemes of application web views: those of Ollama's own list, and of Capacitor, which Obsidian and others have on
    /// phones. No web site has such an origin.
    private static let applications: Set<Substring> = [
        "app", "file", "tauri", "vscode-webview", "vscode-file", "capacitor", "ionic",
    ]

    private let listed: [String]

    /// Rules with no listed origins.
    package init() { listed = [] }

    /// Reads a comma-separated list of `*`, `null`, or `SCHEME://HOST[:PORT]`, in which `*` matches any characters.
    ///
    /// - Returns: nil when an entry is none of these, or there are too many.
    package init?(_ text: String) {
        let entries = text.split(separator: ",").map {
            String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()).lowercased()
        }
        guard entries.count <= Self.maxListed, entries.allSatisfy(Self.isEntry) else { return nil }
        listed = entries
    }

    private static func isEntry(_ entry: String) -> Bool {
        if entry == "*" || entry == "null" { return true }
        guard let (scheme, host) = parts(of: entry), !host.isEmpty else { return false }
        return !scheme.contains("*") && !host.contains { $0 == "/" || $0 == "?" || $0 == "#" || $0 == "@" }
            && entry.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether a page may read responses of a gateway.
    ///
    /// - Parameter needsKeys: Whether the gateway rejects requests without a key; listed origins count only then.
    package func allows(_ origin: String, needsKeys: Bool) -> Bool {
        guard origin.utf8.count <= Self.maxBytes else { return false }
        if Self.isLocal(origin) { return true }
        let origin = origin.lowercased()
        // Origins that no browser sends must not match a pattern.
        guard origin == "null" || Self.host(of: origin) != nil else { return false }
        return needsKeys && listed.contains { Self.matches(Array(origin.utf8), Array($0.utf8)) }
    }

    /// The error for a page that may not call the gateway.
    ///
    /// - Parameter needsKeys: As for ``allows(_:needsKeys:)``.
    package static func refusal(of origin: String, needsKeys: Bool) -> GatewayError {
        let shown = origin.prefix(maxBytes)
        return GatewayError(
            .forbidden, .init(rawValue: "origin_not_allowed"),
            "pages of \"\(shown)\" may not call this gateway: \(needsKeys ? "" : "make a key, and ")set "
                + "SELENE_ORIGINS=\(shown), with commas between several")
    }

    /// Whether an origin is a page of this machine or of an application.
    static func isLocal(_ origin: String) -> Bool {
        let origin = origin.lowercased()
        guard let (scheme, _) = parts(of: origin), let host = host(of: origin) else { return false }
        if applications.contains(scheme) { return true }
        // Servers that listen on every address of this machine print that one, and no other machine has it.
        return (scheme == "http" || scheme == "https") && (host.isLoopback || host.host == "0.0.0.0")
    }

    /// The host and port of an origin; nil when it is not of the form `SCHEME://HOST[:PORT]`.
    private static func host(of origin: String) -> Authority? {
        guard let (scheme, host) = parts(of: origin), let first = scheme.utf8.first, (0x61...0x7A).contains(first)
        else {
            return nil
        }
        let isScheme = scheme.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        return isScheme ? Authority(host) : nil
    }

    private static func parts(of origin: String) -> (scheme: Substring, host: Substring)? {
        guard let mark = origin.firstRange(of: "://") else { return nil }
        return (origin[..<mark.lowerBound], origin[mark.upperBound...])
    }

    /// Whether a text matches a pattern, in which `*` matches any characters.
    private static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var (position, place) = (0, 0)
        var star: (place: Int, position: Int)?
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, position)
                place += 1
            } else if place < pattern.count, pattern[place] == text[position] {
                (position, place) = (position + 1, place + 1)
            } else if let last = star {
                star = (last.place, last.position + 1)
                (position, place) = (last.position + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
