import Access
package import NIOCore
package import NIOHTTPTypes
import Synchronization

/// The bytes of one answer, counted until the client's socket took them.
///
/// What still needs the bytes holds the lease: the response before it is written, then the write that waits for the
/// client. The last of them gives the bytes back.
package final class AnswerLease: Sendable {
    private let budget: BodyBudget
    private let share: Mutex<BodyShare>

    /// Counts an answer.
    ///
    /// - Throws: ``GatewayError`` with 503 when there is no room.
    package init(_ bytes: Int, of holder: String, in budget: BodyBudget) throws(GatewayError) {
        self.budget = budget
        var share = BodyShare()
        try share.grow(by: bytes, of: holder, in: budget)
        self.share = Mutex(share)
    }

    deinit { share.withLock { $0.release(in: budget) } }
}

/// The place that a request holds until its answer was made, and waits for its client in a file or within the budget.
///
/// It holds one at a time. So few long answers are made at once, from the first row to the last byte of JSON.
package final class AnswerTurn: Sendable {
    private let place = Mutex<KeyConcurrencyLimiter.Turn?>(nil)

    /// Gives back the place that it has and keeps another one.
    func keep(_ next: KeyConcurrencyLimiter.Turn) { replace(by: next) }

    /// Gives the place back.
    package func end() { replace(by: nil) }

    private func replace(by next: KeyConcurrencyLimiter.Turn?) {
        let last = place.withLock { place in
            defer { place = next }
            return place
        }
        last?.end()
    }
}

/// Holds the ``AnswerLease`` of the answer that is being written until its last byte was taken.
///
/// A connection of HTTP/1.1, or a stream of HTTP/2, writes one answer at a time. The handler sits next to the encoder:
/// with HTTP/2 its writes wait for the client's window, with HTTP/1.1 for the socket.
package final class UnsentAnswerHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// The lease of the next answer, or of the one that is being written.
    var lease: AnswerLease?

    package init() {}

    package func handlerRemoved(context: ChannelHandlerContext) { lease = nil }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data), let lease else { return context.write(data, promise: promise) }
        self.lease = nil
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        // A connection that ends fails its writes, which also gives the bytes back.
        sent.futureResult.whenComplete { _ in withExtendedLifetime(lease) {} }
        context.write(data, promise: sent)
    }
}
