import Inference
import NIOCore
import Transport

/// The endpoints, their admission and the rules for models.
struct ProxyUpstreams: Sendable {
    let pool: EndpointPool
    let rules: ModelRules
    /// Loads models before they are used; nil leaves loading to Ollama.
    let shield: LoadShield?
    let admission: Admission
    private let catalogues = CatalogueCache()

    init(pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission) {
        self.pool = pool
        self.rules = rules
        self.shield = shield
        self.admission = admission
    }

    /// Whether an inference depends on its model, so that its body must be parsed.
    var dependOnModel: Bool { !pool.isSingle || !rules.isEmpty || shield != nil }

    /// The merged list that answers a request. Nil with one endpoint, no aliases and a key for all models: the
    /// upstream's answer is then forwarded.
    func catalogue(for path: String, isRestricted: Bool) -> MergedCatalogue? {
        // `/api/ps` lists models under their real names.
        let hasAliases = !rules.aliases.isEmpty && path != "/api/ps"
        guard !pool.isSingle || hasAliases || isRestricted else { return nil }
        return MergedCatalogue(path: path)
    }

    /// The merged list of all endpoints, with aliases.
    func list(_ catalogue: MergedCatalogue) async -> CatalogueCache.List {
        let aliases = catalogue.path == "/api/ps" ? [:] : rules.aliases
        return await catalogues.list(catalogue.path) { [pool] in await catalogue.list(of: pool, aliases: aliases) }
    }

    /// Forgets cached lists after a request that may change an endpoint's models, so that pulls and deletes show at
    /// once.
    func modelsChanged(at endpoint: Endpoint?) {
        endpoint?.forgetModels()
        catalogues.forget()
        Task { [pool] in await pool.probe() }
    }
}
