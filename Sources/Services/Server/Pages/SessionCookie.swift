import Access
package import HTTPTypes

/// The cookie of a browser session, and the requests for which it counts.
///
/// The browser sends the cookie with every request to the gateway's host, also with those that other sites start. It
/// counts only for requests of the gateway's own pages, so that no other page can act in the person's name.
package struct SessionCookie: Sendable {
    /// The name over TLS. Browsers accept it only with `Secure` and `Path=/`, and without a domain.
    static let secureName = "__Host-selene"
    /// The name over plain HTTP.
    static let plainName = "selene"
    /// Other programs on the host may set cookies of the same name; further ones are ignored.
    private static let maxCandidates = 4

    /// Whether the gateway itself serves TLS.
    private let isEncrypted: Bool

    package init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

    // MARK: Reading

    /// The secrets in a request's cookies, in order.
    package func secrets(in fields: HTTPFields) -> [String] {
        var found: [String] = []
        for header in fields[values: .cookie] {
            for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard let mark = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let value = pair[pair.index(after: mark)...]
                guard value.count == KeyRing.sessionBytes, isOwn(pair[..<mark]), found.count < Self.maxCandidates else {
                    continue
                }
                found.append(String(Substring(value)))
            }
        }
        return found
    }

    /// A cookie of the plain name could come from another program on the host, so it does not count over TLS.
    private func isOwn(_ name: Substring.UTF8View) -> Bool {
        name.elementsEqual(Self.secureName.utf8) || (!isEncrypted && name.elementsEqual(Self.plainName.utf8))
    }

    /// Whether a request comes from a page of the gateway, so that its cookie counts.
    ///
    /// Browsers send `Sec-Fetch-Site` to addresses that they trust: HTTPS and loopback. Elsewhere `Origin` counts, or, for
    /// GET and HEAD, the header `X-Selene: 1`, which a page of another origin cannot send with the cookie. Any other method
    /// needs that header, too.
    package func counts(for head: HTTPRequest) -> Bool {
        let isSafe = head.method == .get || head.method == .head
        let hasHeader = Self.hasHeader(head)
        guard isSafe || hasHeader else { return false }
        if let site = head.headerFields[.secFetchSite] {
            return site == "same-origin" || (site == "none" && isSafe && head.headerFields[.secFetchMode] == "navigate")
        }
        guard let origin = head.headerFields[.origin] else { return isSafe && hasHeader }
        return isOwn(origin: origin, head)
    }

    /// Rejects a request that changes something without a session, such as a sign-in, unless it comes from a page of the
    /// gateway or from no page.
    ///
    /// - Throws: ``GatewayError`` with 400 without the header `X-Selene: 1`, with 403 for a page of another origin.
    package func requireOwnPage(_ head: HTTPRequest) throws(GatewayError) {
        guard Self.hasHeader(head) else {
            throw GatewayError(
                .badRequest, .init(rawValue: "missing_header"), "this needs the header X-Selene: 1")
        }
        let isOwn =
            if let site = head.headerFields[.secFetchSite] {
                site == "same-origin"
            } else {
                head.headerFields[.origin].map { self.isOwn(origin: $0, head) } ?? true
            }
        guard isOwn else { throw Self.crossSite }
    }

    /// The error for a cookie that does not count.
    static let crossSite = GatewayError(
        .forbidden, .crossSiteRequest,
        "the session cookie counts for the gateway's own pages only; changes also need the header X-Selene: 1")

    private static func hasHeader(_ head: HTTPRequest) -> Bool { head.headerFields[.selene] == "1" }

    /// Whether an origin is that of the gateway, as the request names it.
    func isOwn(origin: String, _ head: HTTPRequest) -> Bool {
        guard let authority = head.authority?.lowercased(), !authority.isEmpty,
            origin.utf8.count <= OriginRules.maxBytes
        else { return false }
        let origin = origin.lowercased()
        // A reverse proxy in front of a gateway without TLS may serve it.
        return origin == "https://" + authority || (!isEncrypted && origin == "http://" + authority)
    }

    // MARK: Writing

    /// The `Set-Cookie` that starts or prolongs a session.
    ///
    /// - Parameter seconds: The cookie's lifetime.
    package func setting(_ secret: String, for seconds: Int64, in head: HTTPRequest) -> HTTPField {
        field(secret, seconds, isSecure: isSecure(head))
    }

    /// The `Set-Cookie` that ends a session.
    package func clearing(in head: HTTPRequest) -> HTTPField { field("", 0, isSecure: isSecure(head)) }

    /// Whether the browser uses HTTPS, as far as the gateway or a reverse proxy in front of it knows.
    package func isSecure(_ head: HTTPRequest) -> Bool {
        isEncrypted || head.headerFields[.forwardedProto]?.lowercased() == "https"
    }

    private func field(_ secret: String, _ seconds: Int64, isSecure: Bool) -> HTTPField {
        let name = isSecure ? Self.secureName : Self.plainName
        let value = "\(name)=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
        return HTTPField(name: .setCookie, value: isSecure ? value + "; Secure" : value)
    }

    /// Removes the gateway's own cookies from the headers for an upstream.
    package static func removeOwn(from headers: inout [(name: String, value: String)]) {
        for index in headers.indices.reversed() where headers[index].name.lowercased() == "cookie" {
            let rest = headers[index].value.split(separator: ";").filter { pair in
                let name = pair.drop { $0 == " " }.prefix { $0 != "=" }
                return name != secureName && name != plainName
            }
            let text = rest.joined(separator: ";").drop { $0 == " " }
            if text.isEmpty { headers.remove(at: index) } else { headers[index].value = String(text) }
        }
    }
}
