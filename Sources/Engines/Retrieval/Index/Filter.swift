/// The conditions that a document must meet to be found. All conditions must hold; an empty filter passes every
/// document.
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
    /// Only documents whose ids are in one of these ranges; any when nil, none when empty.
    public var ids: [ClosedRange<Int64>]?

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

    /// Whether the filter passes every document.
    public var isEmpty: Bool {
        noteTypes.isEmpty && actionabilities.isEmpty && since == nil && until == nil && threads.isEmpty && tags.isEmpty
            && ids == nil
    }
}

/// Ranges of ids, sorted and joined, for fast lookups.
struct IDRanges {
    private var ranges: [ClosedRange<Int64>] = []

    init(_ unsorted: [ClosedRange<Int64>]) {
        for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    func contains(_ id: Int64) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < id { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(id)
    }
}

/// Maps words to small numbers, so that filters compare numbers instead of strings.
struct FilterVocabulary: Sendable {
    /// The words in lower case, indexed by their numbers.
    private(set) var words: [String] = []
    private var codes: [String: Int32] = [:]

    init() {}

    /// Creates a vocabulary with the numbers 0, 1, ….
    init(words: [String]) {
        for word in words { _ = code(for: word) }
    }

    /// The number of a word; a new word is added. -1 for no word.
    mutating func code(for word: String?) -> Int32 {
        guard let word, !word.isEmpty else { return -1 }
        let key = word.lowercased()
        if let code = codes[key] { return code }
        let code = Int32(codes.count)
        codes[key] = code
        words.append(key)
        return code
    }

    /// The numbers of the known words.
    func codes(for words: Set<String>) -> Set<Int32> { Set(words.compactMap { codes[$0.lowercased()] }) }
}
