/// What a model phrased about a proposal. Sentences that no note supports were left out.
public struct ThreadPhrasing: Codable, Sendable, Hashable {
    /// The model, as the settings name it.
    public var model: String
    /// Whether the names of new threads are the model's.
    public var isNamed: Bool
    /// The sentences of the summary. Without any, the summary was made without the model.
    public var sentences: [Sentence]
    /// The number of private notes that were withheld from a model on another machine.
    public var withheld: Int

    /// A sentence with the notes that say it.
    public struct Sentence: Codable, Sendable, Hashable {
        /// The sentence.
        public var text: String
        /// The ids of the notes.
        public var notes: [Int64]

        /// Creates a sentence.
        public init(text: String, notes: [Int64]) {
            self.text = text
            self.notes = notes
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case model, sentences, withheld
        case isNamed = "named"
    }

    /// Creates it.
    public init(model: String, isNamed: Bool, sentences: [Sentence], withheld: Int) {
        self.model = model
        self.isNamed = isNamed
        self.sentences = sentences
        self.withheld = withheld
    }
}
