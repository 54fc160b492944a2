import Crypto
public import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What turns a text into a vector: the model with its very weights, and how it is asked.
public struct EmbeddingModel: Sendable, Hashable {
    /// The model's name in Ollama.
    public var name: String
    /// The digest of its weights; nil when it is not known (yet). Without one nothing is cached.
    public var digest: String?
    /// The length that vectors are cut to; the model's own when nil.
    public var dimensions: Int?
    /// Ollama's `options`, which may change what the model sees of a text (`num_ctx`).
    public var options: [String: JSONValue]
    /// Whether a text that is too long is cut; otherwise Ollama refuses it.
    public var truncates: Bool

    /// Creates a model.
    public init(
        name: String, digest: String? = nil, dimensions: Int? = nil, options: [String: JSONValue] = [:],
        truncates: Bool = true
    ) {
        self.name = name
        self.digest = digest
        self.dimensions = dimensions
        self.options = options
        self.truncates = truncates
    }
}

/// The identity of a vector: SHA-256 over the model's digest, its options, the dimensions and the text with its prefix.
public struct EmbeddingKey: Sendable, Hashable {
    private let words: SIMD4<UInt64>

    /// The key's 32 bytes.
    public var bytes: [UInt8] {
        words.indices.flatMap { index in (0..<8).map { UInt8(truncatingIfNeeded: words[index] >> (8 * $0)) } }
    }

    /// The key of that many bytes; nil unless there are 32.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.init(Array(bytes))
    }

    private init(_ bytes: [UInt8]) {
        var words = SIMD4<UInt64>()
        for index in words.indices {
            words[index] = (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * $1) }
        }
        self.words = words
    }

    /// Makes the keys of many texts of one model.
    struct Maker: Sendable {
        private let base: SHA256

        init(_ model: EmbeddingModel) {
            var hash = SHA256()
            // Each field stands behind its length, so that no two sets of fields read the same.
            func add(_ text: String) {
                hash.update(data: Data("\(text.utf8.count):".utf8))
                hash.update(data: Data(text.utf8))
            }
            add("selene embedding 1")
            add(model.digest.map { "digest " + $0 } ?? "name " + model.name)
            add(model.dimensions.map(String.init) ?? "all")
            add(model.truncates ? "truncate" : "whole")
            add(Self.canonical(model.options))
            base = hash
        }

        func key(for text: String) -> EmbeddingKey {
            var hash = base
            hash.update(data: Data(text.utf8))
            return EmbeddingKey(Array(hash.finalize()))
        }

        /// The same options in the same order, whichever way they came.
        private static func canonical(_ options: [String: JSONValue]) -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Only a number that is not finite cannot be encoded, and JSON has none.
            return (try? encoder.encode(options)).map { String(decoding: $0, as: UTF8.self) } ?? "\(options)"
        }
    }
}
