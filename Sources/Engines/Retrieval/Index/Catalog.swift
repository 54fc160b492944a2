/// A document to index: text, and properties for filters.
public struct RetrievalDocument: Sendable, Hashable {
    /// The document's id.
    public var id: Int64
    /// The title, on one line.
    public var title: String
    /// The text below the title.
    public var text: String
    /// The type, for filters.
    public var noteType: String?
    /// The actionability, for filters.
    public var actionability: String?
    /// Seconds since 1970, for filters and to break ties.
    public var createdAt: Int64
    /// Ids of threads, for filters.
    public var threads: [Int64]
    /// The tags, for filters.
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

/// The documents by ordinal.
///
/// An ordinal is a dense number that a document keeps for the life of the index. Filters, vectors and text are
/// therefore joined through arrays, without a dictionary.
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

    /// The number of ordinals.
    var count: Int { ids.count }

    /// Assigns an ordinal to an id.
    mutating func add(_ id: Int64) -> Int {
        ids.append(id)
        createdAt.append(0)
        types.append(-1)
        actionabilities.append(-1)
        isAlive.grow()
        return ids.count - 1
    }

    /// Stores a document's properties and marks the document as present.
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

    /// Removes a document.
    mutating func remove(at ordinal: Int) {
        guard isAlive[ordinal] else { return }
        isAlive[ordinal] = false
        liveCount -= 1
    }

    private static func label(ofThread id: Int64) -> String { "@\(id)" }
    private static func label(ofTag tag: String) -> String { "#\(tag)" }

    /// The documents that pass a filter; nil when all present documents pass.
    func matching(_ filter: Filter) -> Bitmap? {
        guard !filter.isEmpty else { return nil }
        let types = typeVocabulary.codes(for: filter.noteTypes)
        let actionabilities = actionabilityVocabulary.codes(for: filter.actionabilities)
        let threads = filter.threads.isEmpty ? nil : labelled(filter.threads.map(Self.label(ofThread:)))
        let tags = filter.tags.isEmpty ? nil : labelled(filter.tags.map(Self.label(ofTag:)))
        let ranges = filter.ids.map(IDRanges.init)
        var passed = Bitmap(capacity: count)
        isAlive.forEach { ordinal in
            if let ranges, !ranges.contains(ids[ordinal]) { return }
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
    /// The vocabularies of a catalog, stored in an index file beside the arrays.
    struct Vocabularies: Codable {
        var types: [String]
        var actionabilities: [String]
        var labels: [String]
    }

    /// The arrays of the present documents.
    struct Flat {
        var ids: [Int64] = []
        var createdAt: [Int64] = []
        var types: [Int32] = []
        var actionabilities: [Int32] = []
        /// The label codes; those of document *i* are at `labelEnds[i - 1]..<labelEnds[i]`.
        var labels: [Int32] = []
        var labelEnds: [Int32] = []
        var vocabularies = Vocabularies(types: [], actionabilities: [], labels: [])
    }

    /// The ordinals of the present documents, ascending.
    var liveOrdinals: [Int] {
        var ordinals: [Int] = []
        ordinals.reserveCapacity(liveCount)
        isAlive.forEach { ordinals.append($0) }
        return ordinals
    }

    /// The documents of some ordinals, renumbered 0, 1, 2, ….
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

    /// Creates a catalog from arrays; nil when their lengths are inconsistent.
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
