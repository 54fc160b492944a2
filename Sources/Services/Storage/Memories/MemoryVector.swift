import Foundation

/// Encodes vectors of memories: float32, or JSON text as another program writes it.
enum MemoryVector {
    /// Decodes a blob in either form; nil when it is neither, or has a number that is not finite.
    static func decode(_ data: Data?) -> [Float]? {
        guard let data, !data.isEmpty else { return nil }
        let values: [Float]?
        if isJSON(data) {
            values = try? JSONDecoder().decode([Float].self, from: data)
        } else {
            values = data.count % 4 == 0 ? VectorBlob.decode(data, dimensions: data.count / 4) : nil
        }
        guard let values, !values.isEmpty, values.allSatisfy(\.isFinite) else { return nil }
        return values
    }

    /// Encodes a vector, as JSON text or as float32.
    static func encode(_ vector: [Float], asJSON: Bool) -> Data {
        asJSON ? Data(("[" + vector.map(\.description).joined(separator: ",") + "]").utf8) : VectorBlob.encode(vector)
    }

    /// Whether a blob is JSON text.
    static func isJSON(_ data: Data) -> Bool {
        data.first == UInt8(ascii: "[") && data.last == UInt8(ascii: "]")
            && (try? JSONDecoder().decode([Float].self, from: data)) != nil
    }
}
