/// The push services that subscriptions may name as their endpoint.
///
/// A client chooses the endpoint, and the gateway sends requests there, so any host that the list lacks is refused.
package struct PushServices: Sendable, Hashable {
    /// One entry of the list.
    private struct Entry: Hashable {
        let host: URLHost
        let includesSubdomains: Bool
        let isSecure: Bool
        let port: UInt16
    }

    /// The services of Chromium, Firefox, Edge and Safari, and ntfy's UnifiedPush.
    package static let wellKnown = [
        "fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.services.mozilla.com",
        "*.notify.windows.com",
        "*.push.apple.com", "ntfy.sh",
    ]

    private let entries: [Entry]

    /// Reads a list.
    ///
    /// - Parameter list: `host`, `host:port`, `*.domain` for all hosts below a domain, or `http://host:port` for a host
    ///   of the own network. A host of a private network passes only if it is listed by its full name.
    /// - Throws: ``PushFieldError`` for an entry that cannot be read.
    package init(_ list: [String] = wellKnown, field: String = "push.services") throws(PushFieldError) {
        var entries: [Entry] = []
        for (index, text) in list.enumerated() {
            let path = "\(field)[\(index)]"
            let isPlain = text.hasPrefix("http://")
            var host = isPlain ? text.dropFirst(7) : text[...]
            let includesSubdomains = host.hasPrefix("*.")
            if includesSubdomains { host = host.dropFirst(2) }
            guard !host.contains(where: { "/?".contains($0) }) else {
                throw PushFieldError(path, "expected a host, \"*.\" and a domain, or http:// and a host")
            }
            let url = try PushURL((isPlain ? "http://" : "https://") + host, field: path)
            if includesSubdomains {
                guard case .name(let name) = url.host, name.contains(".") else {
                    throw PushFieldError(path, "expected \"*.\" and a domain of two parts or more")
                }
            }
            entries.append(
                Entry(
                    host: url.host, includesSubdomains: includesSubdomains, isSecure: url.isSecure, port: url.port))
        }
        self.entries = entries
    }

    /// Whether requests may go to a URL.
    package func contain(_ url: PushURL) -> Bool {
        entries.contains { entry in
            guard entry.isSecure == url.isSecure, entry.port == url.port else { return false }
            guard entry.includesSubdomains else { return entry.host == url.host }
            guard case .name(let domain) = entry.host, case .name(let name) = url.host else { return false }
            return url.host.isPublic && name.hasSuffix("." + domain)
        }
    }
}
