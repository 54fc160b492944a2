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
    /// The provider besides Ollama that these are of; nil for Ollama.
    let provider: ForwardedProvider?
    private let catalogues = CatalogueCache()
    /// Adds the models of providers to lists.
    private let listed: [RemoteProvider]

    /// - Parameter providers: The providers whose models are listed beside Ollama's.
    init(
        pool: EndpointPool, rules: ModelRules, shield: LoadShield?, admission: Admission, providers: [RemoteProvider]
    ) {
        self.pool = pool
        self.rules = rules
        self.shield = shield
        self.admission = admission
        listed = providers
        provider = nil
    }

    /// The only endpoint of a provider.
    init(_ provider: RemoteProvider) {
        self.provider = ForwardedProvider(configuration: provider.configuration)
        (pool, admission) = (provider.pool, provider.admission)
        (rules, shield, listed) = (.none, nil, [])
    }

    /// Whether an inference depends on its model, so that its body must be parsed.
    var dependOnModel: Bool { !pool.isSingle || !rules.isEmpty || shield != nil || !listed.isEmpty }

    /// The merged list that answers a request. Nil with one endpoint, no aliases and a key for all models: the
    /// upstream's answer is then forwarded.
    func catalogue(for path: String, isRestricted: Bool) -> MergedCatalogue? {
        // `/api/ps` lists models under their real names.
        let hasAliases = !rules.aliases.isEmpty && path != "/api/ps"
        let hasOthers = !listed.isEmpty && ProviderModels.paths.contains(path)
        guard !pool.isSingle || hasAliases || hasOthers || isRestricted else { return nil }
        return MergedCatalogue(path: path)
    }

    /// The merged list of all endpoints, with aliases.
    func list(_ catalogue: MergedCatalogue) async -> CatalogueCache.List {
        let aliases = catalogue.path == "/api/ps" ? [:] : rules.aliases
        return await catalogues.list(catalogue.path) { [pool, listed] in
            guard ProviderModels.paths.contains(catalogue.path) else {
                return await catalogue.list(of: pool, aliases: aliases)
            }
            async let others = ProviderModels.list(of: listed, catalogue)
            return await catalogue.list(of: pool, aliases: aliases, with: others)
        }
    }

    /// Forgets cached lists after a request that may change an endpoint's models, so that pulls and deletes show at
    /// once.
    func modelsChanged(at endpoint: Endpoint?) {
        endpoint?.forgetModels()
        catalogues.forget()
        Task { [pool] in await pool.probe() }
    }
}
