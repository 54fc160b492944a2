package import HTTPTypes

/// What a browser is told of a page's requests (the Fetch standard, "CORS protocol").
package enum CORSHeaders {
    /// What a page may read of a response beside what it always may.
    static let exposed = "X-Request-Id, Retry-After, Location, Server-Timing, X-Queue-Position, X-Queue-Wait-Ms"
    package static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
    /// How long a browser may remember the answer to a preflight, in seconds.
    static let maxAge = "600"
    /// The longest list of headers that a preflight is answered for, in bytes.
    static let maxHeaderList = 4096

    /// Whether a request only asks what a page may do.
    package static func isPreflight(_ head: HTTPRequest) -> Bool {
        head.method == .options && head.headerFields[.origin] != nil
            && head.headerFields[.accessControlRequestMethod] != nil
    }

    /// Lets the page that sent a request read the response, if it may. Without an `Origin` nothing is added.
    package static func add(to fields: inout HTTPFields, for head: HTTPRequest, _ rules: OriginRules) {
        guard let origin = head.headerFields[.origin] else { return }
        fields.append(HTTPField(name: .vary, value: "Origin"))
        // Where no key is needed, whoever comes here from elsewhere has been refused.
        guard rules.allows(origin, needsKeys: true) else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = exposed
    }

    /// The headers of the answer to a preflight of a page that may come.
    static func preflight(_ head: HTTPRequest, origin: String) -> HTTPFields {
        var fields: HTTPFields = [
            .accessControlAllowOrigin: origin, .accessControlAllowMethods: methods, .accessControlMaxAge: maxAge,
            .vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        ]
        // The page is trusted with a key; which headers it sends with that makes no difference.
        if let asked = head.headerFields[.accessControlRequestHeaders], asked.utf8.count <= maxHeaderList {
            fields[.accessControlAllowHeaders] = asked
        }
        if head.headerFields[.accessControlRequestPrivateNetwork] == "true" {
            fields[.accessControlAllowPrivateNetwork] = "true"
        }
        return fields
    }
}
