package import Inference
package import Logging
package import Server

/// What proxied requests share, on all connections.
package final class Proxy: Sendable {
    let access: ProxyAccess
    let upstreams: ProxyUpstreams
    let bodies: BodyLimits
    let reports: ProxyReports

    /// Makes a proxy.
    ///
    /// - Parameter shield: Loads models before they are used; nil leaves that to Ollama.
    package init(
        pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission,
        authentication: AuthenticationMiddleware, bodies: BodyLimits, observer: RequestObserver, errors: ErrorShapes,
        logger: Logger
    ) {
        access = ProxyAccess(authentication: authentication)
        upstreams = ProxyUpstreams(pool: pool, rules: rules, shield: shield, admission: admission)
        self.bodies = bodies
        reports = ProxyReports(observer: observer, errors: errors, logger: logger)
    }
}
