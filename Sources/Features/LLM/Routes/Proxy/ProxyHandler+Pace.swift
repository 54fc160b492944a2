import NIOCore
import Server

/// Handles bodies that arrive too slowly.
extension ProxyHandler {
    /// Whether a body is incomplete and its response has not ended.
    private var expectsBody: Bool {
        switch phase {
        case .idle: false
        case .application(let requestEnded, _, let responseEnded): !requestEnded && !responseEnded
        case .proxied(let exchange): !exchange.machine.requestEnded && !exchange.machine.hasEnded
        }
    }

    func watchBody(_ context: ChannelHandlerContext) {
        guard expectsBody else { return }
        let now = ContinuousClock.now
        if pace == nil {
            pace = BodyPace(grace: proxy.bodies.grace, rate: proxy.bodies.rate, at: now)
            checkPace(context)
        }
        // The next read starts at once, unless reading is held back.
        pace?.pause(at: now)
    }

    func stopWatchingBody() {
        pace = nil
        bodyTimer?.cancel()
        bodyTimer = nil
    }

    private func schedule(
        in time: TimeAmount, _ context: ChannelHandlerContext, _ action: @escaping @Sendable () -> Void
    ) {
        bodyTimer?.cancel()
        bodyTimer = context.eventLoop.scheduleTask(in: time, action)
    }

    private func checkPace(_ context: ChannelHandlerContext) {
        guard expectsBody, proxy.bodies.rate > 0, let pace else { return }
        var wait = TimeAmount.seconds(1)
        if let deadline = pace.deadline {
            let left = deadline - .now
            guard left > .zero else { return refuseSlowBody(context) }
            wait = TimeAmount(left) + .milliseconds(1)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        schedule(in: wait, context) {
            let (handler, context) = bound.value
            handler.checkPace(context)
        }
    }

    private func refuseSlowBody(_ context: ChannelHandlerContext) {
        proxy.bodies.tooSlow.add()
        let error = GatewayError.bodyTimeout(proxy.bodies)
        switch phase {
        case .proxied(let exchange): exchange.fail(error)
        case .application(_, responseBegan: false, _): refuse(error, context)
        default: context.close(promise: nil)
        }
    }
}
