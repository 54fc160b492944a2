package import HTTPTypes

/// The rules for the head of an HTTP/2 request that the codec does not check (RFC 9113, 8.2 and 8.3).
package enum StreamRequest {
    /// Headers about one connection, which HTTP/2 does not have.
    static let connectionFields: [HTTPField.Name] =
        [.connection, .transferEncoding, .upgrade]
        + ["keep-alive", "proxy-connection"].compactMap { HTTPField.Name($0) }

    /// `Host`, which the shared HTTP types name only as the authority.
    private static let hostField = ["host"].compactMap { HTTPField.Name($0) }

    /// Checks a head and gives it the form of HTTP/1.1: one authority, no `Host`, one `Cookie`.
    ///
    /// - Throws: ``GatewayError`` with 400.
    package static func checked(_ head: HTTPRequest) throws(GatewayError) -> HTTPRequest {
        var head = head
        guard head.method != .connect, head.extendedConnectProtocol == nil else {
            throw malformed("CONNECT is not supported")
        }
        guard let path = head.path, isTarget(path, of: head.method) else {
            throw malformed(":path must begin with / and hold no spaces or control characters")
        }
        try checkSize(head.headerFields)
        head.authority = try authority(of: head)
        for name in hostField { head.headerFields[name] = nil }
        head.scheme = "http"
        // Browsers split cookies over several fields to compress them better.
        let cookies = head.headerFields[values: .cookie]
        if cookies.count > 1 {
            head.headerFields[.cookie] = nil
            // Setting the value would split it again.
            head.headerFields.append(HTTPField(name: .cookie, value: cookies.joined(separator: "; ")))
        }
        return head
    }

    /// The one authority: `:authority`, which may be repeated in `Host`, or `Host` alone.
    private static func authority(of head: HTTPRequest) throws(GatewayError) -> String {
        let hosts = hostField.flatMap { head.headerFields[values: $0] }
        guard let authority = head.authority ?? hosts.first, !authority.isEmpty else {
            throw malformed(":authority is missing")
        }
        guard hosts.allSatisfy({ $0.lowercased() == authority.lowercased() }) else {
            throw malformed("Host differs from :authority")
        }
        return authority
    }

    private static func isTarget(_ path: String, of method: HTTPRequest.Method) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") || (path == "*" && method == .options) else { return false }
        return path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func checkSize(_ fields: HTTPFields) throws(GatewayError) {
        guard fields.count <= HTTP2Limits.headerFields else {
            throw malformed("more than \(HTTP2Limits.headerFields) headers")
        }
        for field in fields {
            guard field.value.utf8.count <= HTTP2Limits.headerFieldBytes else {
                throw malformed("header \"\(field.name.canonicalName.prefix(64))\" is larger than 16 KiB")
            }
            if field.name == .contentLength {
                guard field.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int(field.value) != nil else {
                    throw malformed("content-length is not a number")
                }
            }
        }
    }

    private static func malformed(_ reason: String) -> GatewayError {
        GatewayError(.badRequest, .init(rawValue: "malformed_request"), "the request is not valid HTTP/2: \(reason)")
    }
}
