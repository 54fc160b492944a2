import Inference
import NIOCore
import Transport

/// Where proxied requests go: the endpoints, the places at them, and the rules for models.
struct ProxyUpstreams: Sendable {
    let pool: EndpointPool
    let rules: ModelRules
    /// Loads models before they are used; nil leaves that to Ollama.
    let shield: LoadShield?
    let admission: Admission
    private let catalogues = CatalogueCache()

    init(pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission) {
        self.pool = pool
        self.rules = rules
        self.shield = shield
        self.admission = admission
    }

    /// Whether anything depends on the model of an inference, so that its body has to be read.
    var dependOnModel: Bool { !pool.isSingle || !rules.isEmpty || shield != nil }

    /// The list that answers a request; nil when the upstream's answer passes as it comes: with one endpoint, no aliases
    /// and a key for all models.
    func catalogue(for path: String, isRestricted: Bool) -> MergedCatalogue? {
        // What is in memory is listed under its real name.
        let hasAliases = !rules.aliases.isEmpty && path != "/api/ps"
        guard !pool.isSingle || hasAliases || isRestricted else { return nil }
        return MergedCatalogue(path: path)
    }

    /// One list of those of all endpoints, with the aliases.
    func list(_ catalogue: MergedCatalogue) async -> CatalogueCache.List {
        let aliases = catalogue.path == "/api/ps" ? [:] : rules.aliases
        return await catalogues.list(catalogue.path) { [pool] in await catalogue.list(of: pool, aliases: aliases) }
    }

    /// Notes that an endpoint may hold other models now: what was pulled or deleted is found at once.
    func modelsChanged(at endpoint: Endpoint?) {
        endpoint?.forgetModels()
        catalogues.forget()
        Task { [pool] in await pool.probe() }
    }
}
