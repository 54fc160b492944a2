package import Inference
package import Logging
package import Server

/// The state that proxied requests of all connections share.
package final class Proxy: Sendable {
    let access: ProxyAccess
    let upstreams: ProxyUpstreams
    /// Says where Ollama's models run.
    let ollama: OllamaUpstream
    /// The providers besides Ollama, by name.
    let providers: [String: ProxyUpstreams]
    let bodies: BodyLimits
    let reports: ProxyReports
    let providerNames: Set<String>
    /// Whether the gateway answers browsers that open `/` with a page of its own.
    let servesPages: Bool

    /// Creates the shared state.
    ///
    /// - Parameter shield: Loads models before they are used; nil leaves loading to Ollama.
    package init(
        ollama: OllamaUpstream, pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission,
        providers: [RemoteProvider],
        authentication: AuthenticationMiddleware, servesPages: Bool, bodies: BodyLimits, observer: RequestObserver,
        errors: ErrorShapes, logger: Logger
    ) {
        self.servesPages = servesPages
        self.ollama = ollama
        access = ProxyAccess(authentication: authentication)
        upstreams = ProxyUpstreams(
            pool: pool, rules: rules, shield: shield, admission: admission, providers: providers)
        self.providers = Dictionary(providers.map { ($0.configuration.name, ProxyUpstreams($0)) }) { first, _ in first }
        providerNames = Set(self.providers.keys)
        self.bodies = bodies
        reports = ProxyReports(observer: observer, errors: errors, logger: logger)
    }
}
