/// Which documents may be found. An empty filter lets every document through; several conditions must all hold.
public struct Filter: Sendable, Hashable {
    /// Only these types, compared without case; any type when empty.
    public var noteTypes: Set<String>
    /// Only these actionabilities, compared without case; any when empty.
    public var actionabilities: Set<String>
    /// The earliest creation time, in seconds since 1970, inclusive.
    public var since: Int64?
    /// The latest creation time, in seconds since 1970, inclusive.
    public var until: Int64?
    /// Only documents of one of these threads; any when empty.
    public var threads: Set<Int64>
    /// Only documents with one of these tags, compared without case; any when empty.
    public var tags: Set<String>

    /// Creates a filter.
    public init(
        noteTypes: Set<String> = [], actionabilities: Set<String> = [], since: Int64? = nil, until: Int64? = nil,
        threads: Set<Int64> = [], tags: Set<String> = []
    ) {
        self.noteTypes = noteTypes
        self.actionabilities = actionabilities
        self.since = since
        self.until = until
        self.threads = threads
        self.tags = tags
    }

    /// Whether every document passes.
    public var isEmpty: Bool {
        noteTypes.isEmpty && actionabilities.isEmpty && since == nil && until == nil && threads.isEmpty && tags.isEmpty
    }
}

/// Words by small numbers: a filter compares numbers, not strings.
struct Vocabulary: Sendable {
    /// The words by number, in lower case.
    private(set) var words: [String] = []
    private var codes: [String: Int32] = [:]

    init() {}

    /// A vocabulary whose words have the numbers 0, 1, ….
    init(words: [String]) {
        for word in words { _ = code(for: word) }
    }

    /// The number of a word, made when it is new; -1 for none.
    mutating func code(for word: String?) -> Int32 {
        guard let word, !word.isEmpty else { return -1 }
        let key = word.lowercased()
        if let code = codes[key] { return code }
        let code = Int32(codes.count)
        codes[key] = code
        words.append(key)
        return code
    }

    /// The numbers of the words that are known.
    func codes(for words: Set<String>) -> Set<Int32> { Set(words.compactMap { codes[$0.lowercased()] }) }
}
