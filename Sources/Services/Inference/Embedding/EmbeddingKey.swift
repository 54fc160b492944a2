import Cryptography
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A model and the parameters that determine the vector of a text.
package struct EmbeddingModel: Sendable, Hashable {
    /// The model's name in Ollama.
    package var name: String
    /// The digest of the weights; nil while unknown. Vectors without a digest are not cached.
    package var digest: String?
    /// The length to which vectors are cut; the model's own length when nil.
    package var dimensions: Int?
    /// Ollama's `options`, which may change how much of a text the model reads (`num_ctx`).
    package var options: [String: JSONValue]
    /// Whether Ollama truncates a text that is too long; otherwise it refuses the text.
    package var truncates: Bool

    package init(
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
package struct EmbeddingKey: Sendable, Hashable {
    private let words: SIMD4<UInt64>

    /// The key's 32 bytes.
    package var bytes: [UInt8] {
        words.indices.flatMap { index in (0..<8).map { UInt8(truncatingIfNeeded: words[index] >> (8 * $0)) } }
    }

    /// Creates a key from its bytes; nil unless there are 32.
    package init?(bytes: some Collection<UInt8>) {
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

    /// Computes the keys of many texts for one model.
    struct Maker: Sendable {
        private let base: SHA256

        init(_ model: EmbeddingModel) {
            var hash = SHA256()
            // A length prefix for each field keeps different sets of fields distinct.
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

        /// Returns the options as JSON with sorted keys, so that equal options have equal text.
        private static func canonical(_ options: [String: JSONValue]) -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Encoding fails only for numbers that are not finite, which JSON does not have.
            return (try? encoder.encode(options)).map { String(decoding: $0, as: UTF8.self) } ?? "\(options)"
        }
    }
}
