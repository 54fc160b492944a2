import Logging
import NIOCore
import Upstream

/// What proxied requests need of the gateway, shared by all connections.
struct Proxy: Sendable {
    let pool: EndpointPool
    let rules: ModelRules
    /// Loads models before they are used; nil leaves that to Ollama.
    let shield: LoadShield?
    let admission: Admission
    let authentication: AuthenticationMiddleware
    let bodies: BodyLimits
    let observer: RequestObserver
    let catalogues = CatalogueCache()
    let logger: Logger

    /// Runs an operation that mostly needs not wait, on this thread up to the point where it does.
    ///
    /// Keys are mostly fresh and places mostly free. Then an event loop comes through here without another thread.
    static func runAtOnce(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, *) { Task.immediate(operation: operation) } else { Task(operation: operation) }
    }
}

extension EventLoop {
    /// Runs an action on the loop: now when this is its thread.
    func hop(_ action: @escaping @Sendable () -> Void) {
        if inEventLoop { action() } else { execute(action) }
    }
}
