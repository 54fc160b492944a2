public import NIOCore

/// A request and its response for a consumer that is called back instead of waiting in a task.
///
/// The callbacks run on whichever thread works on the transfers, or at once on the caller's, and must not block: a consumer with an event
/// loop hops there. A chunk thus makes one hop between threads. Bytes are taken, never pushed, so a consumer that does not
/// ask holds the upstream back. Dropping the exchange closes the connection.
public final class UpstreamExchange: Sendable {
    private let transfer: Transfer

    init(_ transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    /// Calls an action once with the response head or with why there is none; asked once.
    public func whenHead(_ action: @escaping @Sendable (Result<UpstreamResponseHead, UpstreamError>) -> Void) {
        transfer.whenHead(action)
    }

    /// Everything that came since the last call; a success with nil is the end.
    ///
    /// - Returns: nil when nothing is there yet. Then, and only then, the action is called with what comes next.
    public func takeBytes(
        orWait action: @escaping @Sendable (Result<ByteBuffer?, UpstreamError>) -> Void
    ) -> Result<ByteBuffer?, UpstreamError>? {
        transfer.takeChunk(orWait: action)
    }

    /// Aborts the transfer; may be called from anywhere, any number of times. Whoever waits is told.
    public func cancel() { transfer.cancel() }
}
