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
    /// Ids of threads, for filters.
    public var threads: [Int64]
    /// For filters.
    public var tags: [String]

    /// Creates a document.
    public init(
        id: Int64, title: String, text: String, noteType: String? = nil, actionability: String? = nil,
        createdAt: Int64 = 0, threads: [Int64] = [], tags: [String] = []
    ) {
        self.id = id
        self.title = title
        self.text = text
        self.noteType = noteType
        self.actionability = actionability
        self.createdAt = createdAt
        self.threads = threads
        self.tags = tags
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
    private var memberships = Memberships()
    private var typeVocabulary = Vocabulary()
    private var actionabilityVocabulary = Vocabulary()
    private var labelVocabulary = Vocabulary()

    init() {}

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
        memberships.set(
            (document.threads.map(Self.label(ofThread:)) + document.tags.map(Self.label(ofTag:))).map {
                labelVocabulary.code(for: $0)
            }, at: ordinal)
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

    private static func label(ofThread id: Int64) -> String { "@\(id)" }
    private static func label(ofTag tag: String) -> String { "#\(tag)" }

    /// The documents that pass a filter; nil when all that are there do.
    func matching(_ filter: Filter) -> Bitmap? {
        guard !filter.isEmpty else { return nil }
        let types = typeVocabulary.codes(for: filter.noteTypes)
        let actionabilities = actionabilityVocabulary.codes(for: filter.actionabilities)
        let threads = filter.threads.isEmpty ? nil : labelled(filter.threads.map(Self.label(ofThread:)))
        let tags = filter.tags.isEmpty ? nil : labelled(filter.tags.map(Self.label(ofTag:)))
        var passed = Bitmap(capacity: count)
        isAlive.forEach { ordinal in
            if let threads, !threads[ordinal] { return }
            if let tags, !tags[ordinal] { return }
            if !filter.noteTypes.isEmpty, !types.contains(self.types[ordinal]) { return }
            if !filter.actionabilities.isEmpty, !actionabilities.contains(self.actionabilities[ordinal]) { return }
            if let since = filter.since, createdAt[ordinal] < since { return }
            if let until = filter.until, createdAt[ordinal] > until { return }
            passed[ordinal] = true
        }
        return passed
    }

    private func labelled(_ labels: [String]) -> Bitmap {
        memberships.members(of: labelVocabulary.codes(for: Set(labels)), among: count)
    }
}

// MARK: - In a file

extension Catalog {
    /// What an index file keeps of a catalog beside its arrays.
    struct Vocabularies: Codable {
        var types: [String]
        var actionabilities: [String]
        var labels: [String]
    }

    /// The arrays of the documents that are there.
    struct Flat {
        var ids: [Int64] = []
        var createdAt: [Int64] = []
        var types: [Int32] = []
        var actionabilities: [Int32] = []
        /// Codes of labels, those of document *i* at `labelEnds[i - 1]..<labelEnds[i]`.
        var labels: [Int32] = []
        var labelEnds: [Int32] = []
        var vocabularies = Vocabularies(types: [], actionabilities: [], labels: [])
    }

    /// The ordinals of the documents that are there, ascending.
    var liveOrdinals: [Int] {
        var ordinals: [Int] = []
        ordinals.reserveCapacity(liveCount)
        isAlive.forEach { ordinals.append($0) }
        return ordinals
    }

    /// The documents of some ordinals, which become 0, 1, 2, ….
    func flat(_ ordinals: [Int]) -> Flat {
        var flat = Flat()
        flat.ids = ordinals.map { ids[$0] }
        flat.createdAt = ordinals.map { createdAt[$0] }
        flat.types = ordinals.map { types[$0] }
        flat.actionabilities = ordinals.map { actionabilities[$0] }
        for ordinal in ordinals {
            flat.labels += memberships.labels(of: ordinal)
            flat.labelEnds.append(Int32(flat.labels.count))
        }
        flat.vocabularies = Vocabularies(
            types: typeVocabulary.words, actionabilities: actionabilityVocabulary.words, labels: labelVocabulary.words)
        return flat
    }

    /// A catalog of arrays; nil when their lengths do not fit together.
    init?(_ flat: Flat) {
        let count = flat.ids.count
        guard flat.createdAt.count == count, flat.types.count == count, flat.actionabilities.count == count,
            let memberships = Memberships(labels: flat.labels, ends: flat.labelEnds, documents: count)
        else { return nil }
        ids = flat.ids
        createdAt = flat.createdAt
        types = flat.types
        actionabilities = flat.actionabilities
        isAlive = Bitmap(full: count)
        liveCount = count
        self.memberships = memberships
        typeVocabulary = Vocabulary(words: flat.vocabularies.types)
        actionabilityVocabulary = Vocabulary(words: flat.vocabularies.actionabilities)
        labelVocabulary = Vocabulary(words: flat.vocabularies.labels)
    }
}
