public import NIOCore

/// A request to an upstream.
public struct UpstreamRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// The path with its query, beginning with a slash. It is appended to the base URL and sent unchanged.
    public var path: String
    /// Headers besides `Host`, `Content-Length` and `Transfer-Encoding`, which the transport sets.
    public var headers: [(name: String, value: String)]
    /// The body; nil for none.
    public var body: ByteBuffer?
    /// A body that is sent while it arrives; used when ``body`` is nil.
    public var upload: UpstreamUpload?
    /// Whether to send only ``headers``. A forwarded request keeps the client's headers and gets no `User-Agent`,
    /// `Accept` or `Content-Type` of the transport.
    public var isForwarded = false
    /// Whether the response comes in small pieces, as the tokens of an answer do. It is read with a smaller buffer then,
    /// which saves memory; large bodies take more reads.
    public var isAnsweredInPieces = false
    /// Scheme, host and port of another server than the configuration's, without a slash at the end; nil for the
    /// configuration's base URL.
    public var origin: String?
    /// Overrides the configuration's timeout for the response head.
    public var firstByteTimeout: Duration?

    /// Creates a request.
    public init(
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

/// The head of an upstream's response.
public struct UpstreamResponseHead: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The headers in order, with names as the upstream wrote them.
    public var headers: [(name: String, value: String)]

    /// Creates a head.
    public init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// The first value of a header. Names are case-insensitive.
    public subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// An upstream's response: its head, and its body as a stream.
public struct UpstreamResponse: Sendable {
    /// Status and headers.
    public let head: UpstreamResponseHead
    /// The body. Dropping it aborts the transfer.
    public let body: UpstreamBody

    /// The HTTP status.
    public var status: Int { head.status }
}
