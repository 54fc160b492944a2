import Access
import HTTPTypes
import Inference
import NIOCore
import Server

/// A proxied request among the requests in flight. Its exchange lives on the event loop of its client.
struct LiveProxied: LiveRequest {
    let exchange: NIOLoopBound<ProxyExchange>

    func facts() async -> LiveFacts? {
        // Fails only when the loops are shut down.
        try? await loop.submit { exchange.value.live }.get()
    }

    func stop() async { try? await loop.submit { exchange.value.stop() }.get() }

    private var loop: any EventLoop { exchange.eventLoop }
}

extension ProxyExchange {
    /// What is known of the request now; nil after its end.
    fileprivate var live: LiveFacts? {
        guard !machine.hasEnded else { return nil }
        var request = facts
        request.identify(identity)
        request.model = request.model ?? queuedModel
        return LiveFacts(
            method: self.request.head.method.rawValue, path: self.request.path,
            route: ProxyPolicy.pattern(of: self.request.path), requestID: requestID, request: request,
            upstream: attempts.endpoints.last?.name, age: .now - startedAt, responseBytes: response.bytes,
            generatedTokens: answer.generatedTokens)
    }
}
