package import GatewayAPI
package import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The configured model aliases and load defaults.
package struct ModelRules: Sendable, Hashable {
    /// Real names by alias, as written in the configuration. Looked up by ``resolve(_:)``.
    package let aliases: [String: String]
    /// Defaults by model, as written in the configuration. Looked up by ``defaults(for:)``.
    package let defaults: [String: ModelDefaults]
    private let byAlias: [String: String]
    /// The models of an alias that answer when the one before cannot, by the alias's canonical form.
    private let fallbacks: [String: [String]]
    private let byModel: [String: ModelDefaults]

    /// Creates rules with one model for each alias.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/failed`` when an alias names another alias.
    package init(aliases: [String: String] = [:], defaults: [String: ModelDefaults] = [:]) throws(UpstreamError) {
        try self.init(chains: aliases.mapValues { [$0] }, defaults: defaults)
    }

    /// Creates rules.
    ///
    /// - Parameter chains: The models of each alias, in the order in which they are asked; an alias without one has no effect.
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/failed`` when an alias names another alias.
    package init(chains: [String: [String]], defaults: [String: ModelDefaults] = [:]) throws(UpstreamError) {
        let aliases = chains.compactMapValues(\.first)
        self.aliases = aliases
        self.defaults = defaults
        byAlias = Dictionary(aliases.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        byModel = Dictionary(defaults.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        fallbacks = Dictionary(
            chains.filter { $0.value.count > 1 }.map { (ModelName.canonical($0.key), Array($0.value.dropFirst())) }
        ) { first, _ in first }
        for (alias, models) in chains {
            guard let real = models.first(where: { byAlias[ModelName.canonical($0)] != nil }) else { continue }
            throw UpstreamError(.failed, "the alias \"\(alias)\" names \"\(real)\", which is itself an alias")
        }
    }

    private init() {
        (aliases, defaults, byAlias, fallbacks, byModel) = ([:], [:], [:], [:], [:])
    }

    /// Rules without aliases or defaults.
    package static let none = ModelRules()

    /// Whether there are no aliases and no defaults.
    package var isEmpty: Bool { aliases.isEmpty && defaults.isEmpty }

    /// Resolves an alias; any other name is returned unchanged.
    package func resolve(_ name: String) -> String {
        byAlias.isEmpty ? name : byAlias[ModelName.canonical(name)] ?? name
    }

    /// Whether a name is an alias of several models.
    package func hasFallbacks(_ name: String) -> Bool {
        !fallbacks.isEmpty && fallbacks[ModelName.canonical(name)] != nil
    }

    /// The models that a name stands for, in the order in which they are asked.
    package func chain(of name: String) -> [String] {
        [resolve(name)] + (fallbacks.isEmpty ? [] : fallbacks[ModelName.canonical(name)] ?? [])
    }

    /// The defaults of a model, by its real name.
    package func defaults(for model: String) -> ModelDefaults? {
        byModel.isEmpty ? nil : byModel[ModelName.canonical(model)]
    }
}

/// The load defaults of a model: runner options and how long it stays loaded.
package struct ModelDefaults: Sendable, Hashable, Decodable {
    /// Options of a model's runner. Ollama reloads the model when one of them differs.
    package static let runnerOptions: Set<String> = [
        "num_ctx", "num_gpu", "num_batch", "num_thread", "use_mmap", "main_gpu",
    ]

    /// Whether an option is one of ``runnerOptions``, in any letter case.
    static func isRunnerOption(_ name: String) -> Bool { runnerOptions.contains(ModelPeek.folded(name)) }

    /// Members of `options` to add where a request lacks them.
    package var options: [String: JSONValue]
    /// The `keep_alive` to add where a request lacks it.
    package var keepAlive: JSONValue?
    /// Whether to override a request's own ``runnerOptions`` and `keep_alive`.
    package var isPinned: Bool

    package init(options: [String: JSONValue] = [:], keepAlive: JSONValue? = nil, isPinned: Bool = false) {
        self.options = options
        self.keepAlive = keepAlive
        self.isPinned = isPinned
    }

    /// Decodes an object such as `{"num_ctx": 8192, "keep_alive": "30m", "pin": true}`.
    package init(from decoder: any Decoder) throws {
        var values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        isPinned = false
        switch values.removeValue(forKey: "pin") {
        case nil: break
        case .bool(let flag)?: isPinned = flag
        default: throw Self.error("\"pin\": expected true or false", decoder)
        }
        keepAlive = values.removeValue(forKey: "keep_alive")
        switch keepAlive {
        case nil, .string?, .integer?, .number?: break
        default: throw Self.error("\"keep_alive\": expected a number of seconds or a text such as \"30m\"", decoder)
        }
        for (name, value) in values {
            switch value {
            case .object, .null: throw Self.error("\"\(name)\": expected a value, not an object or null", decoder)
            default: break
            }
        }
        options = values
    }

    private static func error(_ reason: String, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }
}
