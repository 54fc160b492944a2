package import GatewayAPI

/// A run that has ended and was not read for memories.
package struct UnreadRun: Sendable {
    package var number: Int64
    package var id: String
    package var session: String
    package var question: String
    /// See ``ChatRunDraft/request``.
    package var request: String
    package var model: String
    /// The message with the question.
    package var message: Int64?
    /// The notes in its passages.
    package var notes: [Int64]
}

/// Something that a person said about themselves.
package struct LearnedFact: Sendable {
    package var kind: String
    package var key: String
    package var value: String
    package var isSingle: Bool
    package var content: String
    package var type: String
    package var confidence: Double
    package var origin: MemoryDetails.Origin
    /// The sentence, and its UTF-8 bytes in the message.
    package var source: String
    package var range: Range<Int>
    package var vector: [Float]?

    package init(
        kind: String, key: String, value: String, isSingle: Bool, content: String, type: String, confidence: Double,
        origin: MemoryDetails.Origin, source: String, range: Range<Int>, vector: [Float]? = nil
    ) {
        self.kind = kind
        self.key = key
        self.value = value
        self.isSingle = isSingle
        self.content = content
        self.type = type
        self.confidence = confidence
        self.origin = origin
        self.source = source
        self.range = range
        self.vector = vector
    }
}

/// A memory with its subject.
package struct KnownMemory: Sendable {
    package var id: Int64
    package var content: String
    /// The subject; nil when it could not be read.
    package var key: String?
    package var value: String
    package var state: MemoryDetails.State
}

/// What becomes of a fact among the memories.
package enum MemoryDecision: Sendable {
    case add
    case update(Int64)
    case supersede([Int64], reason: String)
    case end([Int64], reason: String)
    case nothing
}

/// What a run changed.
package struct LearnedCounts: Sendable, Hashable {
    package var added = 0
    package var updated = 0
    package var superseded = 0

    package init() {}
}
