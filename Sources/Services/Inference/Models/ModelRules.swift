public import GatewayAPI
public import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The configured model aliases and load defaults.
public struct ModelRules: Sendable, Hashable {
    /// Real names by alias, as written in the configuration. Looked up by ``resolve(_:)``.
    public let aliases: [String: String]
    /// Defaults by model, as written in the configuration. Looked up by ``defaults(for:)``.
    public let defaults: [String: ModelDefaults]
    private let byAlias: [String: String]
    private let byModel: [String: ModelDefaults]

    /// Creates rules.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/failed`` when an alias names another alias.
    public init(aliases: [String: String] = [:], defaults: [String: ModelDefaults] = [:]) throws(UpstreamError) {
        self.aliases = aliases
        self.defaults = defaults
        byAlias = Dictionary(aliases.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        byModel = Dictionary(defaults.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        for (alias, real) in aliases where byAlias[ModelName.canonical(real)] != nil {
            throw UpstreamError(.failed, "the alias \"\(alias)\" names \"\(real)\", which is itself an alias")
        }
    }

    private init() {
        (aliases, defaults, byAlias, byModel) = ([:], [:], [:], [:])
    }

    /// Rules without aliases or defaults.
    public static let none = ModelRules()

    /// Whether there are no aliases and no defaults.
    public var isEmpty: Bool { aliases.isEmpty && defaults.isEmpty }

    /// Resolves an alias; any other name is returned unchanged.
    public func resolve(_ name: String) -> String {
        byAlias.isEmpty ? name : byAlias[ModelName.canonical(name)] ?? name
    }

    /// The defaults of a model, by its real name.
    public func defaults(for model: String) -> ModelDefaults? {
        byModel.isEmpty ? nil : byModel[ModelName.canonical(model)]
    }
}

/// The load defaults of a model: runner options and how long it stays loaded.
public struct ModelDefaults: Sendable, Hashable, Decodable {
    /// Options of a model's runner. Ollama reloads the model when one of them differs.
    public static let runnerOptions: Set<String> = [
        "num_ctx", "num_gpu", "num_batch", "num_thread", "use_mmap", "main_gpu",
    ]

    /// Whether an option is one of ``runnerOptions``, in any letter case.
    static func isRunnerOption(_ name: String) -> Bool { runnerOptions.contains(ModelPeek.folded(name)) }

    /// Members of `options` to add where a request lacks them.
    public var options: [String: JSONValue]
    /// The `keep_alive` to add where a request lacks it.
    public var keepAlive: JSONValue?
    /// Whether to override a request's own ``runnerOptions`` and `keep_alive`.
    public var isPinned: Bool

    /// Creates defaults.
    public init(options: [String: JSONValue] = [:], keepAlive: JSONValue? = nil, isPinned: Bool = false) {
        self.options = options
        self.keepAlive = keepAlive
        self.isPinned = isPinned
    }

    /// Decodes an object such as `{"num_ctx": 8192, "keep_alive": "30m", "pin": true}`.
    public init(from decoder: any Decoder) throws {
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
