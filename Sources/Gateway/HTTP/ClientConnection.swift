import NIOCore

/// Notices that the client of one connection left, and acts at once.
///
/// Sits in the channel's pipeline, on its event loop. HTTP/1.1 answers one request at a time, so one action is
/// enough. A half-closed client counts as gone, as it does for other reverse proxies.
final class ClientDepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private var action: (@Sendable () -> Void)?
    private var departed = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { depart() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        depart()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { action = nil }

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

/// The client's end of a request, as far as a route needs to know it.
struct ClientConnection: Sendable {
    private let channel: any Channel

    init(channel: any Channel) { self.channel = channel }

    /// Tells the connection from all others that are open.
    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Runs `action` once, on the connection's event loop, as soon as the client leaves.
    ///
    /// Replaces an earlier action. Must not block.
    func onDeparture(_ action: @escaping @Sendable () -> Void) {
        let channel = channel
        channel.eventLoop.execute {
            let handler = try? channel.pipeline.syncOperations.handler(type: ClientDepartureHandler.self)
            // A closed channel has no pipeline any more: the client is gone already.
            if let handler { handler.watch(action) } else { action() }
        }
    }

    /// Forgets the action.
    func stopWatching() {
        let channel = channel
        channel.eventLoop.execute {
            (try? channel.pipeline.syncOperations.handler(type: ClientDepartureHandler.self))?.stopWatching()
        }
    }

    /// Runs an operation that is cancelled as soon as the client leaves.
    ///
    /// - Throws: What the operation throws, or ``GatewayError`` with 499 when the client left.
    func whilePresent<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await operation() }
        onDeparture { task.cancel() }
        defer { stopWatching() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
