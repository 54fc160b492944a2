/// A document as retrieval knows it.
public struct RetrievalDocument: Sendable, Hashable {
    /// The document's id.
    public var id: Int64
    /// One line.
    public var title: String
    /// The text.
    public var text: String
    /// For filters.
    public var noteType: String?
    /// For filters.
    public var actionability: String?
    /// Seconds since 1970, for filters and as tie-break.
    public var createdAt: Int64

    /// Creates a document.
    public init(
        id: Int64, title: String, text: String, noteType: String? = nil, actionability: String? = nil,
        createdAt: Int64 = 0
    ) {
        self.id = id
        self.title = title
        self.text = text
        self.noteType = noteType
        self.actionability = actionability
        self.createdAt = createdAt
    }
}

/// Documents by ordinal: a dense number that a document keeps for as long as the index lives, so that filters, vectors
/// and text meet in arrays and never in a dictionary.
struct Catalog: Sendable {
    private(set) var ids: [Int64] = []
    private(set) var createdAt: [Int64] = []
    private(set) var isAlive = Bitmap(capacity: 0)
    private(set) var liveCount = 0
    private var types: [Int32] = []
    private var actionabilities: [Int32] = []
    private var typeVocabulary = Vocabulary()
    private var actionabilityVocabulary = Vocabulary()

    /// How many ordinals there are.
    var count: Int { ids.count }

    /// Gives an id its ordinal.
    mutating func add(_ id: Int64) -> Int {
        ids.append(id)
        createdAt.append(0)
        types.append(-1)
        actionabilities.append(-1)
        isAlive.grow()
        return ids.count - 1
    }

    /// Sets what is known of a document, which is there from now on.
    mutating func set(_ document: RetrievalDocument, at ordinal: Int) {
        createdAt[ordinal] = document.createdAt
        types[ordinal] = typeVocabulary.code(for: document.noteType)
        actionabilities[ordinal] = actionabilityVocabulary.code(for: document.actionability)
        if !isAlive[ordinal] {
            isAlive[ordinal] = true
            liveCount += 1
        }
    }

    /// Forgets a document.
    mutating func remove(at ordinal: Int) {
        guard isAlive[ordinal] else { return }
        isAlive[ordinal] = false
        liveCount -= 1
    }

    /// The documents that pass a filter; nil when all that are there do.
    func matching(_ filter: Filter) -> Bitmap? {
        guard !filter.isEmpty else { return nil }
        let types = typeVocabulary.codes(for: filter.noteTypes)
        let actionabilities = actionabilityVocabulary.codes(for: filter.actionabilities)
        var passed = Bitmap(capacity: count)
        isAlive.forEach { ordinal in
            if !filter.noteTypes.isEmpty, !types.contains(self.types[ordinal]) { return }
            if !filter.actionabilities.isEmpty, !actionabilities.contains(self.actionabilities[ordinal]) { return }
            if let since = filter.since, createdAt[ordinal] < since { return }
            if let until = filter.until, createdAt[ordinal] > until { return }
            passed[ordinal] = true
        }
        return passed
    }
}
