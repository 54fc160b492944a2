import Foundation

/// A model as the server lists it.
struct Model: Sendable {
    /// The name with its tag.
    var name: String
    /// Its capabilities: `completion`, `tools`, `thinking`, `vision`, `insert`, `embedding`.
    var capabilities: [String]
    /// 64 hexadecimal digits, or the digest in the options.
    var digest: String
    var size = 1_000_000
    var contextLength: Int
    var embeddingLength: Int
    /// The model that it was created from.
    var parent = ""
    /// Whether it runs on another server.
    var isCloud = false
    /// Whether `/api/show` says so, too.
    var tellsPlace = true

    var family: String { isEmbedding ? "bert" : "llama" }
    var isEmbedding: Bool { capabilities.contains("embedding") }

    /// The name without the default tag.
    var shortName: String { name.hasSuffix(":latest") ? String(name.dropLast(7)) : name }

    /// The members that name the other server and the model there.
    var remote: (model: JSON?, host: JSON?) {
        isCloud ? (.string(name), "https://ollama.com:443") : (nil, nil)
    }

    func can(_ capability: String) -> Bool { capabilities.contains(capability) }

    /// Fields that tags, ps and show have in common.
    func details(isListed: Bool) -> JSON {
        .compact([
            "parent_model": .string(parent), "format": "gguf", "family": .string(family),
            "families": [.string(family)], "parameter_size": isEmbedding ? "137M" : "1.2B",
            "quantization_level": isEmbedding ? "F16" : "Q4_K_M",
            "context_length": isListed ? JSON(contextLength) : nil,
            "embedding_length": isListed ? JSON(embeddingLength) : nil,
        ])
    }

    var capabilityList: JSON { .array(capabilities.map { .string($0) }) }
}

/// The models of the server, in order.
struct Catalogue: Sendable {
    private(set) var models: [Model] = []
    /// Models of ollama.com, which no list has.
    private let hosted: [Model]
    private let options: FakeOllama.Options

    /// The modification time of every model, for Go and as Unix time.
    static let modifiedAt = "2026-01-01T00:00:00Z"
    static let modifiedSeconds = 1_767_225_600

    init(_ options: FakeOllama.Options) {
        self.options = options
        hosted = options.hostedModels.map { name in
            Model(
                name: Self.full(name), capabilities: name.contains("embed") ? ["embedding"] : ["completion", "tools"],
                digest: options.digest, contextLength: options.contextLength, embeddingLength: options.dimensions)
        }
        for name in options.generateModels {
            // One model without tools, so that a rejection can be tested.
            add(name, name.contains("gemma") ? ["completion"] : ["completion", "tools", "insert", "vision"])
        }
        for name in options.thinkingModels { add(name, ["completion", "tools", "thinking"]) }
        for name in options.embedModels { add(name, ["embedding"]) }
        for name in options.cloudModels { add(name, ["completion", "tools", "thinking"], isCloud: true) }
        for name in options.listedCloudModels {
            let capabilities = name.contains("embed") ? ["embedding"] : ["completion", "tools"]
            add(name, capabilities, isCloud: true, tellsPlace: false)
        }
    }

    /// A model name with its tag.
    static func full(_ name: String) -> String {
        let last = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return last.contains(":") ? name : name + ":latest"
    }

    subscript(name: String) -> Model? {
        let full = Self.full(name)
        return models.first { $0.name == full } ?? hosted.first { $0.name.lowercased() == full.lowercased() }
    }

    private mutating func add(
        _ name: String, _ capabilities: [String], isCloud: Bool = false, tellsPlace: Bool = true
    ) {
        put(
            Model(
                name: Self.full(name), capabilities: capabilities, digest: options.digest,
                contextLength: options.contextLength, embeddingLength: options.dimensions, isCloud: isCloud,
                tellsPlace: tellsPlace))
    }

    /// Adds a model, or replaces the model with the same name.
    mutating func put(_ model: Model) {
        if let index = models.firstIndex(where: { $0.name == model.name }) {
            models[index] = model
        } else {
            models.append(model)
        }
    }

    /// Adds a model from a registry. Its name decides whether it embeds.
    mutating func pull(_ name: String) {
        let isEmbedding = ["embed", "minilm", "bge-"].contains { name.contains($0) }
        add(name, isEmbedding ? ["embedding"] : ["completion", "tools"])
    }

    /// Removes a model. Returns whether it existed.
    mutating func remove(_ name: String) -> Bool {
        let full = Self.full(name)
        guard let index = models.firstIndex(where: { $0.name == full }) else { return false }
        models.remove(at: index)
        return true
    }
}
