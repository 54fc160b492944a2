import Foundation

/// Something learned from conversations, as the database holds it.
public struct StoredMemory: Sendable, Hashable {
    /// The words that a type may be.
    package static let types = ["preference", "fact", "pattern", "context"]

    /// The row's id.
    public var id: Int64
    /// What was learned.
    public var content: String
    /// What kind of thing it is.
    public var type: String?
    /// How sure it is, 0 to 1.
    public var confidence: Double
    /// The session that it was learned in.
    public var sourceSession: String?
    /// As it stands in the database.
    public var createdAt: String?
    /// As it stands in the database.
    public var updatedAt: String?
    /// As it stands in the database.
    public var lastAccessedAt: String?
    /// Its vector, when it was asked for and can be read.
    public var embedding: [Float]?
}

/// A memory to be made.
public struct MemoryDraft: Sendable, Hashable {
    /// What was learned.
    public var content: String
    /// What kind of thing it is.
    public var type: String
    /// How sure it is, 0 to 1.
    public var confidence: Double
    /// The session that it was learned in.
    public var sourceSession: String?
    /// Its vector.
    public var embedding: [Float]?

    /// Creates a draft.
    public init(
        content: String, type: String, confidence: Double = 1, sourceSession: String? = nil, embedding: [Float]? = nil
    ) {
        self.content = content
        self.type = type
        self.confidence = confidence
        self.sourceSession = sourceSession
        self.embedding = embedding
    }
}

/// What changes of a memory.
public struct MemoryChange: Sendable, Hashable {
    /// What was learned.
    public var content: String?
    /// What kind of thing it is.
    public var type: String?
    /// How sure it is, 0 to 1.
    public var confidence: Double?
    /// Its vector.
    public var embedding: ValueChange<[Float]> = .keep

    /// Creates a change of nothing.
    public init() {}
}

/// Vectors of memories: float32 as everywhere here, or the JSON text that another program writes.
enum MemoryVector {
    /// The vector of a blob in either form; nil when it is neither, or has a number that is not finite.
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

    /// A blob, in the form that the file's other vectors have.
    static func encode(_ vector: [Float], asJSON: Bool) -> Data {
        asJSON ? Data(("[" + vector.map(\.description).joined(separator: ",") + "]").utf8) : VectorBlob.encode(vector)
    }

    /// Whether a blob is JSON text.
    static func isJSON(_ data: Data) -> Bool {
        data.first == UInt8(ascii: "[") && data.last == UInt8(ascii: "]")
            && (try? JSONDecoder().decode([Float].self, from: data)) != nil
    }
}
