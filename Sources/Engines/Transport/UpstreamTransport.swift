import CCurl

/// Requests to one upstream over libcurl: streamed, held back by a slow consumer, aborted when the consumer leaves.
///
/// Knows HTTP and nothing of Ollama or JSON. May be used from any task. One thread at a time works on all transfers;
/// connections and handles are reused.
public final class UpstreamTransport: Sendable {
    /// Where the upstream is, and its limits.
    public let configuration: UpstreamConfiguration
    private let loop: CurlLoop

    /// Starts the transport and its thread.
    ///
    /// - Throws: ``UpstreamError`` when the process has no descriptor left.
    public init(configuration: UpstreamConfiguration) throws(UpstreamError) {
        _ = Self.libraryIsReady
        self.configuration = configuration
        loop = try CurlLoop(configuration: configuration)
    }

    deinit { loop.post(.drain(deadline: .now)) }

    /// Transfers that were started and have not ended.
    public var inFlight: Int { loop.inFlight }

    /// Sends a request and returns when the response head is there, whatever its status.
    ///
    /// Cancelling the task closes the connection, in every phase.
    /// - Throws: ``UpstreamError``.
    public func send(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        try await send(request, holding: nil)
    }

    /// As ``send(_:)``; the response's body keeps an object for as long as it lives.
    package func send(
        _ request: UpstreamRequest, holding companion: (any AnyObject & Sendable)?
    ) async throws(UpstreamError) -> UpstreamResponse {
        let transfer = Transfer(request, on: loop, highWatermark: configuration.highWatermark)
        let body = UpstreamBody(transfer, holding: companion)
        try loop.start(transfer)
        let head = try await transfer.head()
        return UpstreamResponse(head: head, body: body)
    }

    /// Sends a request for a consumer that is called back: what an event loop needs.
    ///
    /// - Throws: ``UpstreamError`` when too many transfers are in flight.
    public func start(_ request: UpstreamRequest) throws(UpstreamError) -> UpstreamExchange {
        let transfer = Transfer(request, on: loop, highWatermark: configuration.highWatermark)
        let exchange = UpstreamExchange(transfer)
        try loop.start(transfer)
        return exchange
    }

    /// Refuses new requests, waits for those in flight, and aborts what is left at the deadline.
    public func shutdown(within patience: Duration) async {
        await loop.drain(until: .now + patience)
    }

    private static let libraryIsReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
