public import NIOCore

/// A request to an upstream.
public struct UpstreamRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// The path with its query, beginning with a slash; it is appended to the base URL and sent as it is.
    public var path: String
    /// Headers beside `Host`, `Content-Length` and `Transfer-Encoding`, which the transport sets.
    public var headers: [(name: String, value: String)]
    /// The body; nil for none.
    public var body: ByteBuffer?
    /// A body that is sent while it comes; used when there is no ``body``.
    public var upload: UpstreamUpload?
    /// Whether ``headers`` are all there are: another client's request goes on as that client wrote it, without a
    /// `User-Agent`, `Accept` or `Content-Type` of the transport's own.
    public var isForwarded = false
    /// Overrides the configuration's patience for the response head.
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
    /// The headers in their order, names as the upstream wrote them.
    public var headers: [(name: String, value: String)]

    /// Creates a head.
    public init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// The first value of a header; names compare without case.
    public subscript(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// An upstream's response: its head, and its body as it comes.
public struct UpstreamResponse: Sendable {
    /// Status and headers.
    public let head: UpstreamResponseHead
    /// The body. Dropping it aborts the transfer.
    public let body: UpstreamBody

    /// The HTTP status.
    public var status: Int { head.status }
}
