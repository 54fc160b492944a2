package import NIOCore

package struct UpstreamRequest: Sendable {
    /// The method, in capitals.
    package var method: String
    /// The path with its query, beginning with a slash. It is appended to the base URL and sent unchanged.
    package var path: String
    /// Headers besides `Host`, `Content-Length` and `Transfer-Encoding`, which the transport sets.
    package var headers: [(name: String, value: String)]
    /// The body; nil for none.
    package var body: ByteBuffer?
    /// A body that is sent while it arrives; used when ``body`` is nil.
    package var upload: UpstreamUpload?
    /// Whether to send only ``headers``. A forwarded request keeps the client's headers and gets no `User-Agent`,
    /// `Accept` or `Content-Type` of the transport.
    package var isForwarded = false
    /// Whether the response comes in small pieces, as the tokens of an answer do. It is read with a smaller buffer then,
    /// which saves memory; large bodies take more reads.
    package var isAnsweredInPieces = false
    /// Scheme, host and port of another server than the configuration's, without a slash at the end; nil for the
    /// configuration's base URL.
    package var origin: String?
    /// Overrides the configuration's timeout for the response head.
    package var firstByteTimeout: Duration?

    package init(
        method: String, path: String, headers: [(name: String, value: String)] = [], body: ByteBuffer? = nil,
        firstByteTimeout: Duration? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.firstByteTimeout = firstByteTimeout
    }
}

package struct UpstreamResponseHead: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The headers in order, with names as the upstream wrote them.
    package var headers: [(name: String, value: String)]

    package init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// The first value of a header. Names are case-insensitive.
    package subscript(_ name: String) -> String? {
        headers.first { $0.name.isHeader(name) }?.value
    }
}

extension String {
    /// Whether this is the name of a header: ASCII letters count alike in both cases.
    package func isHeader(_ name: String) -> Bool {
        guard utf8.count == name.utf8.count else { return false }
        return zip(utf8, name.utf8).allSatisfy { one, other in
            one == other || one ^ other == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(one | 0x20)
        }
    }
}

/// An upstream's response: its head, and its body as a stream.
package struct UpstreamResponse: Sendable {
    /// Status and headers.
    package let head: UpstreamResponseHead
    /// The body. Dropping it aborts the transfer.
    package let body: UpstreamBody

    /// The HTTP status.
    package var status: Int { head.status }
}
