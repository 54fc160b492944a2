public import NIOCore

/// The body of an upstream's response, at the consumer's pace.
///
/// Each element is everything that came since the last one. There is one consumer. While it does not ask, the
/// transport keeps at most ``UpstreamConfiguration/highWatermark`` bytes (and one socket read) and then stops reading,
/// so that TCP holds the upstream back. Dropping the body, cancelling the task that waits for it, or ``cancel()``
/// closes the connection.
public final class UpstreamBody: AsyncSequence, Sendable {
    /// All bytes that came since the last element.
    public typealias Element = ByteBuffer

    private let transfer: Transfer

    /// What has to live as long as the body does.
    private let companion: (any AnyObject & Sendable)?

    init(_ transfer: Transfer, holding companion: (any AnyObject & Sendable)? = nil) {
        self.transfer = transfer
        self.companion = companion
    }

    deinit { transfer.cancel() }

    /// Aborts the transfer; may be called from anywhere, any number of times, and returns at once.
    public func cancel() { transfer.cancel() }

    /// Begins to consume the body.
    public func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    /// Takes the body's bytes as they come.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: UpstreamBody

        /// The next bytes; nil at the end.
        ///
        /// - Throws: ``UpstreamError``, after all bytes that came before the failure.
        public mutating func next() async throws -> ByteBuffer? {
            try await body.transfer.nextChunk()
        }
    }

    /// Collects the whole body.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/bodyTooLarge`` beyond `limit` bytes.
    public func collect(upTo limit: Int) async throws(UpstreamError) -> ByteBuffer {
        var whole = ByteBuffer()
        while var chunk = try await transfer.nextChunk() {
            guard whole.readableBytes + chunk.readableBytes <= limit else {
                cancel()
                throw UpstreamError(.bodyTooLarge, "the upstream's response is larger than \(limit) bytes")
            }
            if whole.readableBytes == 0 { whole = chunk } else { whole.writeBuffer(&chunk) }
        }
        return whole
    }
}
