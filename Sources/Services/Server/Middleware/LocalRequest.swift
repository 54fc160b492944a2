import HTTPTypes

/// What a gateway without keys answers: programs of this machine, and pages of this machine. Requests that others sent
/// through a reverse proxy, a browser or a name that was pointed here are refused.
enum LocalRequest {
    /// Headers by which reverse proxies tell of the client they speak for, in lower case. Those that begin with
    /// `x-forwarded-` or `cf-` count, too.
    private static let forwarding: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
        "true-client-ip", "fastly-client-ip", "x-forwarded",
    ]

    /// Checks a request that came without a key.
    ///
    /// - Throws: ``GatewayError`` with 403.
    static func check(_ head: HTTPRequest) throws(GatewayError) {
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
            // A page of this machine under another port or name, which browsers call another site.
            return
        }
        // Requests of pages that need no permission of the gateway, such as those for images, have no origin.
        guard let site, site != "none", site != "same-origin" else { return }
        throw GatewayError(
            .forbidden, .crossSiteRequest,
            "a page of another site sent this request (Sec-Fetch-Site), and this gateway has no keys; make a key to allow it"
        )
    }

    /// Refuses a request whose host is another machine, as a page does whose name was pointed here (DNS rebinding).
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
    /// A reverse proxy forwarded the request to a gateway that has no keys.
    public static let forwardedRequest = GatewayError.Code(rawValue: "forwarded_request")
    /// A page of another site sent the request to a gateway that has no keys.
    public static let crossSiteRequest = GatewayError.Code(rawValue: "cross_site_request")
}
