package import HTTPTypes

/// Builds the headers of cross-origin requests (the Fetch standard, "CORS protocol").
package enum CORSHeaders {
    /// Response headers that pages may read, besides those they always may.
    static let exposed =
        "X-Request-Id, Retry-After, Location, Server-Timing, X-Queue-Position, X-Queue-Wait-Ms, X-Expected-Wait"
    package static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
    /// How long a browser may cache the answer to a preflight, in seconds.
    static let maxAge = "600"
    /// The longest accepted list of headers in a preflight, in bytes.
    static let maxHeaderList = 4096

    package static func isPreflight(_ head: HTTPRequest) -> Bool {
        head.method == .options && head.headerFields[.origin] != nil
            && head.headerFields[.accessControlRequestMethod] != nil
    }

    /// Adds headers that let the page that sent a request read the response, if allowed. Adds none without an `Origin`.
    package static func add(to fields: inout HTTPFields, for head: HTTPRequest, _ rules: OriginRules) {
        guard let origin = head.headerFields[.origin] else { return }
        fields.append(HTTPField(name: .vary, value: "Origin"))
        // On a gateway without keys, other origins have been rejected before.
        guard rules.allows(origin, needsKeys: true) else { return }
        fields[.accessControlAllowOrigin] = origin
        fields[.accessControlExposeHeaders] = exposed
    }

    /// The headers of the answer to an allowed preflight.
    static func preflight(_ head: HTTPRequest, origin: String) -> HTTPFields {
        var fields: HTTPFields = [
            .accessControlAllowOrigin: origin, .accessControlAllowMethods: methods, .accessControlMaxAge: maxAge,
            .vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        ]
        // The page is trusted with a key, so the other headers that it sends make no difference.
        if let asked = head.headerFields[.accessControlRequestHeaders], asked.utf8.count <= maxHeaderList {
            fields[.accessControlAllowHeaders] = asked
        }
        if head.headerFields[.accessControlRequestPrivateNetwork] == "true" {
            fields[.accessControlAllowPrivateNetwork] = "true"
        }
        return fields
    }
}
