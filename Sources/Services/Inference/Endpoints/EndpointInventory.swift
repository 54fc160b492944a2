#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The installed and loaded models of an endpoint at its last probe.
struct EndpointInventory: Sendable, Hashable {
    /// Digests by canonical name, from `/api/tags`.
    var models: [String: String]
    /// Canonical names of the loaded models, from `/api/ps`.
    var loaded: Set<String>

    /// Parses the answers to `/api/tags` and `/api/ps`; nil when they have another format.
    init?(tags: Data, processes: Data) {
        let decoder = JSONDecoder()
        guard let tags = try? decoder.decode(Listing.self, from: tags),
            let processes = try? decoder.decode(Listing.self, from: processes)
        else { return nil }
        models = [:]
        for model in tags.models ?? [] { models[ModelName.canonical(model.name)] = model.digest ?? "" }
        loaded = Set((processes.models ?? []).map { ModelName.canonical($0.name) })
    }

    init(models: [String: String], loaded: Set<String>) {
        self.models = models
        self.loaded = loaded
    }

    /// Returns where a model is; the name must be canonical.
    func holding(of model: String) -> EndpointChoice.Holding {
        if loaded.contains(model) { return .loaded }
        return models[model] == nil ? .absent : .stored
    }

    private struct Listing: Decodable {
        struct Model: Decodable {
            var name: String
            var digest: String?
        }
        var models: [Model]?
    }
}
