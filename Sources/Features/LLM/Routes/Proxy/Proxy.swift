package import Inference
package import Logging
import NIOCore
package import Server

/// What proxied requests need of the gateway, shared by all connections.
package struct Proxy: Sendable {
    package let pool: EndpointPool
    package let rules: ModelRules
    /// Loads models before they are used; nil leaves that to Ollama.
    package let shield: LoadShield?
    package let admission: Admission
    let authentication: AuthenticationMiddleware
    package let bodies: BodyLimits
    package let observer: RequestObserver
    let catalogues = CatalogueCache()
    package let errors: ErrorShapes
    package let logger: Logger

    package init(
        pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission,
        authentication: AuthenticationMiddleware, bodies: BodyLimits, observer: RequestObserver, errors: ErrorShapes,
        logger: Logger
    ) {
        self.pool = pool
        self.rules = rules
        self.shield = shield
        self.admission = admission
        self.authentication = authentication
        self.bodies = bodies
        self.observer = observer
        self.errors = errors
        self.logger = logger
    }

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
