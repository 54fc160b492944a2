import HTTPTypes
import Inference
import Transport

/// Decides which headers cross the gateway. Headers about one connection, or about access to the gateway, do not.
enum ProxyHeaders {
    /// Hop-by-hop headers (RFC 9110, 7.6.1), which each side writes itself. Names in lower case.
    static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// Headers that end at the gateway: keys; origin and host, which Ollama would refuse; and those that libcurl
    /// writes.
    private static let gatewaysOwn: Set<String> = [
        "authorization", "x-api-key", "origin", "host", "content-length", "expect",
        "x-selene-upstream", "x-selene",
    ]

    /// Headers of an answer that speak for the origin of the gateway, to its browser or its clients. An upstream has its
    /// own origin, so none of them crosses: cookies, orders to browsers, promises about connections, and the rules of
    /// ``SecurityHeaders`` and CORS, which the gateway writes itself. Names in lower case.
    static let ofOrigin: Set<String> = [
        "set-cookie", "set-cookie2", "clear-site-data", "service-worker-allowed", "refresh", "link", "alt-svc",
        "strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct", "report-to",
        "reporting-endpoints", "nel", "content-security-policy", "content-security-policy-report-only",
        "x-content-security-policy", "x-webkit-csp", "permissions-policy", "feature-policy", "document-policy",
        "cross-origin-opener-policy", "cross-origin-embedder-policy", "cross-origin-resource-policy",
        "origin-agent-cluster", "origin-trial", "accept-ch", "critical-ch", "sourcemap", "x-sourcemap",
        "www-authenticate", "authentication-info", "x-frame-options", "x-xss-protection", "referrer-policy",
        "set-login", "speculation-rules", "supports-loading-mode", "no-vary-search", "x-dns-prefetch-control",
        "timing-allow-origin", "x-permitted-cross-domain-policies",
    ]

    /// Whether a header of an upstream's answer reaches the client.
    static func crosses(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return !hopByHop.contains(name) && !ofOrigin.contains(name) && !name.hasPrefix("access-control-")
            && !name.hasPrefix("sec-")
    }

    /// The request headers for the upstream, in their order, with names and values unchanged.
    static func forUpstream(_ fields: HTTPFields) -> [(name: String, value: String)] {
        let named = namedByConnection(fields[values: .connection])
        var headers: [(name: String, value: String)] = []
        headers.reserveCapacity(fields.count)
        for field in fields {
            let name = field.name.canonicalName
            if hopByHop.contains(name) || gatewaysOwn.contains(name) || named.contains(name) { continue }
            headers.append((field.name.rawName, field.value))
        }
        return headers
    }

    /// The upstream's response head for the client.
    ///
    /// Fields with invalid names are left out. `Content-Length` is kept only where it frames the body.
    ///
    /// - Parameter peer: The upstream's name in errors.
    /// - Throws: ``UpstreamError`` for lengths that are invalid or contradict each other.
    static func forClient(_ head: UpstreamResponseHead, of peer: String) throws(UpstreamError) -> HTTPFields {
        var fields = HTTPFields()
        var length: Int64?
        var isChunked = false
        let named = namedByConnection(head.headers.lazy.filter { $0.name.isHeader("connection") }.map(\.value))
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            if name == .transferEncoding { isChunked = true }
            if name == .contentLength {
                let isFirst = length == nil
                length = try contentLength(value, before: length, peer)
                if !isFirst { continue }
            }
            guard crosses(name), !named.contains(name.canonicalName) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        if isChunked { fields[.contentLength] = nil }
        return fields
    }

    /// Parses a `Content-Length`, which must equal an earlier one.
    private static func contentLength(
        _ text: String, before: Int64?, _ peer: String
    ) throws(UpstreamError) -> Int64 {
        let hasDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard hasDigits, let number = Int64(text), before == nil || before == number else {
            throw UpstreamError(.protocolViolation, "the response of \(peer) has no valid Content-Length")
        }
        return number
    }

    /// The headers that a `Connection` header declares hop-by-hop.
    private static func namedByConnection(_ values: some Sequence<String>) -> Set<String> {
        var named: Set<String> = []
        for value in values where value != "keep-alive" && value != "close" {
            for name in value.split(separator: ",") {
                named.insert(String(name.drop { $0 == " " }.prefix { $0 != " " }).lowercased())
            }
        }
        return named
    }
}
