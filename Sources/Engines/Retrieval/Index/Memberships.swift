/// The label codes of each document: flat arrays for documents of an index file, a dictionary for documents added or
/// changed later.
struct Memberships: Sendable {
    private var labels: [Int32] = []
    private var ends: [Int32] = []
    private var later: [Int32: [Int32]] = [:]

    init() {}

    /// Creates memberships from arrays; the labels of document *i* are at `ends[i - 1]..<ends[i]`. Nil for invalid
    /// ends.
    init?(labels: [Int32], ends: [Int32], documents: Int) {
        guard ends.count == documents, Int(ends.last ?? 0) == labels.count, (ends.first ?? 0) >= 0,
            zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.labels = labels
        self.ends = ends
    }

    /// Sets the labels of a document.
    mutating func set(_ codes: [Int32], at ordinal: Int) {
        if codes.isEmpty, ordinal >= ends.count {
            later[Int32(ordinal)] = nil
        } else {
            later[Int32(ordinal)] = codes
        }
    }

    /// The labels of a document.
    func labels(of ordinal: Int) -> ArraySlice<Int32> {
        if let codes = later[Int32(ordinal)] { return codes[...] }
        guard ordinal < ends.count else { return [] }
        return labels[(ordinal == 0 ? 0 : Int(ends[ordinal - 1]))..<Int(ends[ordinal])]
    }

    /// The documents with at least one of some labels.
    func members(of codes: Set<Int32>, among documents: Int) -> Bitmap {
        var members = Bitmap(capacity: documents)
        guard !codes.isEmpty else { return members }
        // A table is faster than a set, and a document's labels lie together.
        let last = codes.max() ?? -1
        guard last >= 0 else { return members }
        var isWanted = [Bool](repeating: false, count: Int(last) + 1)
        for code in codes where code >= 0 { isWanted[Int(code)] = true }
        var document = 0
        for place in labels.indices {
            let code = Int(labels[place])
            guard code >= 0, code < isWanted.count, isWanted[code] else { continue }
            // Labels are in the order of their documents.
            while Int(ends[document]) <= place { document += 1 }
            if later[Int32(document)] == nil { members[document] = true }
        }
        for (ordinal, labels) in later where labels.contains(where: codes.contains) { members[Int(ordinal)] = true }
        return members
    }
}
