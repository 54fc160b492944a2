package import NIOCore

/// A request and its response for a consumer with callbacks instead of a task.
///
/// Callbacks run on the thread that works on the transfers, or at once on the caller's, and must not block. A consumer
/// with an event loop hops there, so a chunk makes one hop between threads. Bytes are pulled, never pushed: a consumer
/// that does not call ``takeBytes(orWait:)`` holds the upstream back. Dropping the exchange closes the connection.
package final class UpstreamExchange: Sendable {
    private let transfer: Transfer

    init(_ transfer: Transfer) { self.transfer = transfer }

    deinit { transfer.cancel() }

    /// Calls an action once with the response head or the error. Call this method once.
    package func whenHead(_ action: @escaping @Sendable (Result<UpstreamResponseHead, UpstreamError>) -> Void) {
        transfer.whenHead(action)
    }

    /// Returns everything that arrived since the last call; a success with nil is the end.
    ///
    /// - Returns: nil when nothing has arrived. Then, and only then, the action is called with the next bytes.
    package func takeBytes(
        orWait action: @escaping @Sendable (Result<ByteBuffer?, UpstreamError>) -> Void
    ) -> Result<ByteBuffer?, UpstreamError>? {
        transfer.takeChunk(orWait: action)
    }

    /// Aborts the transfer and calls the waiting actions. May be called from any thread and more than once.
    package func cancel() { transfer.cancel() }
}
