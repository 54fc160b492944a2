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
    private(set) var ids = Column<Int64>()
    private(set) var createdAt = Column<Int64>()
    private(set) var isAlive = Bitmap(capacity: 0)
    private(set) var liveCount = 0
    private var types = Column<Int32>()
    private var actionabilities = Column<Int32>()
    private var memberships = Memberships()
    private var typeVocabulary = FilterVocabulary()
    private var actionabilityVocabulary = FilterVocabulary()
    private var labelVocabulary = FilterVocabulary()

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
        var passed = isAlive
        if let threads { passed.formIntersection(threads) }
        if let tags { passed.formIntersection(tags) }
        if !filter.noteTypes.isEmpty { passed.keep(self.types, among: types) }
        if !filter.actionabilities.isEmpty { passed.keep(self.actionabilities, among: actionabilities) }
        if filter.since != nil || filter.until != nil {
            passed.keep(createdAt, from: filter.since ?? .min, to: filter.until ?? .max)
        }
        if let ranges { passed.keep(ids) { ranges.contains($0) } }
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

    /// The columns of a catalog in an index file. Their values are not used as indices, so they are read where they are
    /// mapped.
    struct Stored {
        var ids: Column<Int64>
        var createdAt: Column<Int64>
        var types: Column<Int32>
        var actionabilities: Column<Int32>
        var memberships: Memberships
        var vocabularies: Vocabularies
    }

    /// Creates a catalog from columns; nil when their lengths are inconsistent.
    init?(_ stored: Stored) {
        let count = stored.ids.count
        guard stored.createdAt.count == count, stored.types.count == count, stored.actionabilities.count == count else {
            return nil
        }
        ids = stored.ids
        createdAt = stored.createdAt
        types = stored.types
        actionabilities = stored.actionabilities
        isAlive = Bitmap(full: count)
        liveCount = count
        memberships = stored.memberships
        typeVocabulary = FilterVocabulary(words: stored.vocabularies.types)
        actionabilityVocabulary = FilterVocabulary(words: stored.vocabularies.actionabilities)
        labelVocabulary = FilterVocabulary(words: stored.vocabularies.labels)
    }
}
