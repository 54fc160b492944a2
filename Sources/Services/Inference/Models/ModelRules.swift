public import GatewayAPI
public import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the gateway does with the models that requests name: other names for them, and how they are loaded.
public struct ModelRules: Sendable, Hashable {
    /// Real names by alias, both as they were written. Looked up by ``resolve(_:)``.
    public let aliases: [String: String]
    /// What is filled in, by model, as it was written. Looked up by ``defaults(for:)``.
    public let defaults: [String: ModelDefaults]
    private let byAlias: [String: String]
    private let byModel: [String: ModelDefaults]

    /// Creates rules.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/failed`` when an alias stands for another alias.
    public init(aliases: [String: String] = [:], defaults: [String: ModelDefaults] = [:]) throws(UpstreamError) {
        self.aliases = aliases
        self.defaults = defaults
        byAlias = Dictionary(aliases.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        byModel = Dictionary(defaults.map { (ModelName.canonical($0.key), $0.value) }) { first, _ in first }
        for (alias, real) in aliases where byAlias[ModelName.canonical(real)] != nil {
            throw UpstreamError(.failed, "the alias \"\(alias)\" stands for \"\(real)\", which is an alias itself")
        }
    }

    private init() {
        (aliases, defaults, byAlias, byModel) = ([:], [:], [:], [:])
    }

    /// No rules.
    public static let none = ModelRules()

    /// Whether there is nothing to do.
    public var isEmpty: Bool { aliases.isEmpty && defaults.isEmpty }

    /// The name that Ollama knows; the name itself when it is no alias.
    public func resolve(_ name: String) -> String {
        byAlias.isEmpty ? name : byAlias[ModelName.canonical(name)] ?? name
    }

    /// What is filled in for a model, by its real name.
    public func defaults(for model: String) -> ModelDefaults? {
        byModel.isEmpty ? nil : byModel[ModelName.canonical(model)]
    }
}

/// How a model is to be loaded: options of its runner, and how long it stays.
public struct ModelDefaults: Sendable, Hashable, Decodable {
    /// Options that decide how a model is loaded. Ollama loads it anew when one of them differs.
    public static let runnerOptions: Set<String> = [
        "num_ctx", "num_gpu", "num_batch", "num_thread", "use_mmap", "main_gpu",
    ]

    /// Whether an option is one of ``runnerOptions``, whatever the case of its letters.
    static func isRunnerOption(_ name: String) -> Bool { runnerOptions.contains(ModelPeek.folded(name)) }

    /// Members of `options`, filled in where a request lacks them.
    public var options: [String: JSONValue]
    /// `keep_alive`, filled in where a request lacks it.
    public var keepAlive: JSONValue?
    /// Whether a request's own ``runnerOptions`` and `keep_alive` do not count.
    public var isPinned: Bool

    /// Creates defaults.
    public init(options: [String: JSONValue] = [:], keepAlive: JSONValue? = nil, isPinned: Bool = false) {
        self.options = options
        self.keepAlive = keepAlive
        self.isPinned = isPinned
    }

    /// Reads `{"num_ctx": 8192, "keep_alive": "30m", "pin": true}`.
    public init(from decoder: any Decoder) throws {
        var values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        isPinned = false
        switch values.removeValue(forKey: "pin") {
        case nil: break
        case .bool(let flag)?: isPinned = flag
        default: throw Self.error("\"pin\" is true or false", decoder)
        }
        keepAlive = values.removeValue(forKey: "keep_alive")
        switch keepAlive {
        case nil, .string?, .integer?, .number?: break
        default: throw Self.error("\"keep_alive\" is a number of seconds or a text such as \"30m\"", decoder)
        }
        for (name, value) in values {
            switch value {
            case .object, .null: throw Self.error("\"\(name)\" has no value of an option", decoder)
            default: break
            }
        }
        options = values
    }

    private static func error(_ reason: String, _ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
    }
}
