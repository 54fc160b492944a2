import CCurl

/// Sends requests to one upstream over libcurl. Streams bodies, holds the upstream back for a slow consumer, and aborts
/// when the consumer leaves.
///
/// Knows HTTP, but neither Ollama nor JSON. May be used from any task. One thread at a time works on all transfers;
/// connections and handles are reused.
package final class UpstreamTransport: Sendable {
    /// The upstream's address and limits.
    package let configuration: UpstreamConfiguration
    private let loop: CurlLoop

    /// Starts the transport and its thread.
    ///
    /// - Throws: ``UpstreamError`` when the process has no free descriptor.
    package init(configuration: UpstreamConfiguration) throws(UpstreamError) {
        _ = Self.libraryIsReady
        self.configuration = configuration
        loop = try CurlLoop(configuration: configuration)
    }

    deinit { loop.post(.drain(deadline: .now)) }

    /// Transfers that were started and have not ended.
    package var inFlight: Int { loop.inFlight }

    /// Sends a request and returns when the response head arrives, whatever its status.
    ///
    /// Cancelling the task closes the connection, in every phase.
    /// - Throws: ``UpstreamError``.
    package func send(_ request: UpstreamRequest) async throws(UpstreamError) -> UpstreamResponse {
        try await send(request, holding: nil)
    }

    /// Like ``send(_:)``; the response's body also keeps `companion` alive.
    package func send(
        _ request: UpstreamRequest, holding companion: (any AnyObject & Sendable)?
    ) async throws(UpstreamError) -> UpstreamResponse {
        let transfer = Transfer(request, on: loop, highWatermark: configuration.highWatermark)
        let body = UpstreamBody(transfer, holding: companion)
        try loop.start(transfer)
        let head = try await transfer.head()
        return UpstreamResponse(head: head, body: body)
    }

    /// Sends a request for a consumer with callbacks, such as an event loop.
    ///
    /// - Throws: ``UpstreamError`` when too many transfers are in flight.
    package func start(_ request: UpstreamRequest) throws(UpstreamError) -> UpstreamExchange {
        let transfer = Transfer(request, on: loop, highWatermark: configuration.highWatermark)
        let exchange = UpstreamExchange(transfer)
        try loop.start(transfer)
        return exchange
    }

    /// Rejects new requests, waits for those in flight, and aborts the rest at the deadline.
    package func shutdown(within timeout: Duration) async {
        await loop.drain(until: .now + timeout)
    }

    private static let libraryIsReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
