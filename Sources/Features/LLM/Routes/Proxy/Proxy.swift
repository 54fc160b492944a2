package import Audit
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
    /// The gateway's own models, and the way to their routes.
    let ownModels: OwnModels?
    let handover: Handover
    /// The way to the routes that translate requests for providers.
    let translations: Handover
    let audit: AuditTrail
    let bodies: BodyLimits
    let reports: ProxyReports
    let providerNames: Set<String>
    /// Whether the gateway answers browsers that open `/` with a page of its own.
    let servesPages: Bool

    /// Creates the shared state.
    ///
    /// - Parameters:
    ///   - shield: Loads models before they are used; nil leaves loading to Ollama.
    ///   - ownModels: The models whose requests are handed over; nil for none.
    package init(
        ollama: OllamaUpstream, pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission,
        providers: [RemoteProvider], ownModels: OwnModels? = nil, handover: Handover = Handover(),
        translations: Handover = Handover(),
        authentication: AuthenticationMiddleware, servesPages: Bool, audit: AuditTrail, bodies: BodyLimits,
        observer: RequestObserver,
        errors: ErrorShapes, logger: Logger
    ) {
        (self.servesPages, self.audit) = (servesPages, audit)
        self.ollama = ollama
        access = ProxyAccess(authentication: authentication)
        upstreams = ProxyUpstreams(
            pool: pool, rules: rules, shield: shield, admission: admission, providers: providers)
        self.providers = Dictionary(providers.map { ($0.configuration.name, ProxyUpstreams($0)) }) { first, _ in first }
        providerNames = Set(self.providers.keys)
        (self.ownModels, self.handover, self.translations) = (ownModels, handover, translations)
        self.bodies = bodies
        reports = ProxyReports(observer: observer, errors: errors, logger: logger)
    }
}
