import HTTPTypes

/// Checks requests to a gateway without keys: only programs and pages of this machine are allowed. Rejects requests
/// through a reverse proxy, from a foreign page, or with a foreign `Host` header.
enum LocalRequest {
    /// Headers by which reverse proxies identify the original client, in lower case. Names that begin with
    /// `x-forwarded-` or `cf-` count, too.
    private static let forwarding: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
        "true-client-ip", "fastly-client-ip", "x-forwarded",
    ]

    /// Checks a request without a key.
    ///
    /// - Parameter mayBeLink: Whether a person may come here by a link of another site, which a browser opens as a page
    ///   of its own.
    /// - Throws: ``GatewayError`` with 403.
    static func check(_ head: HTTPRequest, mayBeLink: Bool = false) throws(GatewayError) {
        try checkHost(head)
        var origin: String?
        var site: String?
        for field in head.headerFields {
            switch field.name {
            case .origin: origin = field.value
            case .secFetchSite: site = field.value.lowercased()
            default: try checkForwarding(field.name)
            }
        }
        if let origin {
            guard OriginRules.isLocal(origin) else {
                throw GatewayError(
                    .forbidden, .forbidden,
                    "origin \"\(origin.prefix(OriginRules.maxBytes))\" is not this machine; make a key to allow it")
            }
            // Browsers call a page of this machine with another port or name cross-site.
            return
        }
        // Requests of pages without CORS, such as those for images, have no origin.
        guard let site, site != "none", site != "same-origin" else { return }
        if mayBeLink, head.headerFields[.secFetchMode] == "navigate", head.headerFields[.secFetchDest] == "document" {
            return
        }
        throw GatewayError(
            .forbidden, .crossSiteRequest,
            "a page of another site sent this request (Sec-Fetch-Site), and this gateway has no keys; make a key to allow it"
        )
    }

    /// Whether a reverse proxy forwarded a request.
    static func isForwarded(_ head: HTTPRequest) -> Bool {
        head.headerFields.contains { (try? checkForwarding($0.name)) == nil }
    }

    /// Rejects requests with a foreign `Host` header (DNS rebinding).
    static func checkHost(_ head: HTTPRequest) throws(GatewayError) {
        guard let authority = head.authority, Authority(authority)?.isLoopback != true else { return }
        throw GatewayError(
            .forbidden, .forbidden,
            "host \"\(authority.prefix(OriginRules.maxBytes))\" is not this machine; make a key to allow it")
    }

    private static func checkForwarding(_ name: HTTPField.Name) throws(GatewayError) {
        let lower = name.canonicalName
        guard forwarding.contains(lower) || lower.hasPrefix("x-forwarded-") || lower.hasPrefix("cf-") else { return }
        throw GatewayError(
            .forbidden, .forwardedRequest,
            "a proxy forwarded this request (header \"\(name.rawName)\"), and a gateway without keys answers this machine "
                + "only; make a key with `selene keys create NAME`")
    }
}

extension GatewayError.Code {
    /// A reverse proxy forwarded the request to a gateway without keys.
    package static let forwardedRequest = GatewayError.Code(rawValue: "forwarded_request")
    /// A page of another site sent the request to a gateway without keys.
    package static let crossSiteRequest = GatewayError.Code(rawValue: "cross_site_request")
}
