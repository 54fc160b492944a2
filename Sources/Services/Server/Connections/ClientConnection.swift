package import Access
import HTTPTypes
package import NIOCore
import NIOHTTPTypes
import Synchronization

/// Detects that the client of one connection or stream left, and runs an action at once.
///
/// It is a handler of the channel's pipeline and runs on its event loop. A connection of HTTP/1.1, or a stream of
/// HTTP/2, answers one request at a time, so one action is enough. A half-closed client counts as gone, as in other reverse proxies.
package final class ClientDisconnectHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = NIOAny

    private var action: (@Sendable () -> Void)?
    private var departed = false

    package init() {}

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { depart() }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        depart()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { action = nil }

    fileprivate func watch(_ action: @escaping @Sendable () -> Void) {
        if departed { action() } else { self.action = action }
    }

    fileprivate func stopWatching() { action = nil }

    private func depart() {
        departed = true
        let action = action
        self.action = nil
        action?()
    }
}

/// The client's side of a request, for routes.
package struct ClientConnection: Sendable {
    private let channel: any Channel
    /// The request, which an administrator may stop.
    private let trace: RequestTrace

    init(channel: any Channel, trace: RequestTrace) {
        self.channel = channel
        self.trace = trace
    }

    /// Identifies the connection among all open connections.
    package var id: ObjectIdentifier { ObjectIdentifier(channel.clientConnection) }

    /// Whether the client speaks HTTP/2.
    package var isHTTP2: Bool { channel.isStream }

    package var address: ClientAddress { ClientAddress(channel.remoteAddress) }

    /// Runs `action` on the connection's event loop as soon as the client leaves, or on any thread when an administrator
    /// stops the request.
    ///
    /// Replaces an earlier action. The action must not block, and may run twice.
    package func onDeparture(_ action: @escaping @Sendable () -> Void) {
        trace.onStop(action)
        let channel = channel
        channel.eventLoop.execute {
            let handler = try? channel.pipeline.syncOperations.handler(type: ClientDisconnectHandler.self)
            // A closed channel has no pipeline: the client is gone already.
            if let handler { handler.watch(action) } else { action() }
        }
    }

    /// Sends `100 Continue` before the response.
    func sendContinue() {
        channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    }

    /// Counts the bytes of the answer that is written next, until the client took them.
    func hold(_ lease: AnswerLease) {
        let channel = channel
        channel.eventLoop.execute {
            (try? channel.pipeline.syncOperations.handler(type: UnsentAnswerHandler.self))?.lease = lease
        }
    }

    /// Removes the action.
    package func stopWatching() {
        trace.onStop(nil)
        let channel = channel
        channel.eventLoop.execute {
            (try? channel.pipeline.syncOperations.handler(type: ClientDisconnectHandler.self))?.stopWatching()
        }
    }

    /// Runs an operation and cancels it as soon as the client leaves or an administrator stops the request.
    ///
    /// - Throws: The error of the operation, or ``GatewayError`` with 499 when the client left, with 403 when the request
    ///   was stopped.
    package func whilePresent<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Self.begin(operation)
        let cancellation = Cancellation { task.cancel() }
        onDeparture { cancellation.run() }
        // The connection keeps the now empty action until the next request, which saves the hop of removing it.
        defer { cancellation.clear() }
        return try await withTaskCancellationHandler {
            do {
                return try await task.value
            } catch {
                throw trace.isStopped ? GatewayError.stopped : error
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Starts a task on this thread and runs it until it first waits, so that no other thread must be woken.
    private static func begin<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26, iOS 26, *) {
            Task.immediate { try await operation() }
        } else {
            Task { try await operation() }
        }
    }
}

/// Cancels an operation while it runs.
private final class Cancellation: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

    func run() {
        let action = action.withLock { $0 }
        action?()
    }

    func clear() { action.withLock { $0 = nil } }
}
