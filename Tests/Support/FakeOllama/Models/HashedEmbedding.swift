import Foundation

/// Vectors without a model: hashed words, word pairs and letter triples, so that texts with common words are near.
///
/// The same text gives the same vector on every machine and in every process.
package struct HashedEmbedding: Sendable {
    /// The length of the vectors.
    package let dimensions: Int

    package init(dimensions: Int) { self.dimensions = max(1, dimensions) }

    /// The unit vector of a text.
    package func vector(for text: String) -> [Float] {
        var vector = [Float](repeating: 0, count: dimensions)
        let words = Self.words(of: text)
        var previous: [UInt8] = []
        for word in words {
            let bytes = Array(word.utf8)
            let isCommon = Self.common.contains(word)
            add(bytes, weight: isCommon ? 0.1 : 1, seed: 1, to: &vector)
            // The beginning of a word represents its inflected forms.
            if bytes.count > 4 { add(Array(bytes.prefix(4)), weight: 0.6, seed: 2, to: &vector) }
            if !previous.isEmpty, !isCommon { add(previous + [0x20] + bytes, weight: 0.4, seed: 3, to: &vector) }
            if bytes.count >= 3, !isCommon {
                for start in 0...(bytes.count - 3) {
                    add(Array(bytes[start..<start + 3]), weight: 0.15, seed: 4, to: &vector)
                }
            }
            previous = bytes
        }
        var sum: Float = 0
        for value in vector { sum += value * value }
        guard sum > 0 else {
            vector[0] = 1
            return vector
        }
        let scale = 1 / sum.squareRoot()
        return vector.map { $0 * scale }
    }

    private func add(_ bytes: [UInt8], weight: Float, seed: UInt64, to vector: inout [Float]) {
        // FNV-1a, then a finaliser that spreads its weak low bits.
        var hash = 0xCBF2_9CE4_8422_2325 ^ (seed &* 0x9E37_79B9_7F4A_7C15)
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash ^= hash >> 33
        hash = hash &* 0xFF51_AFD7_ED55_8CCD
        hash ^= hash >> 33
        let place = Int(hash % UInt64(dimensions))
        vector[place] += hash >> 63 == 0 ? weight : -weight
    }

    private static func words(of text: String) -> [String] {
        var rest = text.lowercased()[...]
        for prefix in ["search_query: ", "search_document: ", "query: ", "passage: "] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        return rest.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static let common: Set<String> = [
        "a", "about", "after", "all", "also", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did",
        "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me",
        "my",
        "no", "not", "of", "on", "or", "so", "that", "the", "their", "then", "there", "they", "this", "to", "too", "up",
        "was", "we", "were", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
    ]
}
