package import NIOCore

/// The body of an upstream's response, at the consumer's pace.
///
/// Each element is everything that arrived since the last one. There is one consumer. While the consumer does not read,
/// the transport buffers at most ``UpstreamConfiguration/highWatermark`` bytes (and one socket read). Then it stops
/// reading, so that TCP holds the upstream back. Dropping the body, cancelling the waiting task, or ``cancel()`` closes
/// the connection.
package final class UpstreamBody: AsyncSequence, Sendable {
    /// All bytes that arrived since the last element.
    package typealias Element = ByteBuffer

    private let transfer: Transfer

    /// An object that must live as long as the body.
    private let companion: (any AnyObject & Sendable)?

    init(_ transfer: Transfer, holding companion: (any AnyObject & Sendable)? = nil) {
        self.transfer = transfer
        self.companion = companion
    }

    deinit { transfer.cancel() }

    /// Aborts the transfer and returns at once. May be called from any thread and more than once.
    package func cancel() { transfer.cancel() }

    /// Begins to consume the body.
    package func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    /// Takes the body's bytes as they arrive.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: UpstreamBody

        /// Returns the next bytes; nil at the end.
        ///
        /// - Throws: ``UpstreamError``, after all bytes that arrived before the failure.
        package mutating func next() async throws -> ByteBuffer? {
            try await body.transfer.nextChunk()
        }
    }

    /// Collects the whole body.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/bodyTooLarge`` beyond `limit` bytes.
    package func collect(upTo limit: Int) async throws(UpstreamError) -> ByteBuffer {
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
