/// The side of a time or an amount that a function word names: `before May`, `under 5 g`, `two more`.
enum Bound: Equatable {
    case before, after
    case above, below
    /// `greater than`: a side that another word names.
    case than

    /// Whether two bounds name different sides of the same thing.
    func excludes(_ other: Bound) -> Bool {
        switch (self, other) {
        case (.before, .after), (.after, .before), (.above, .below), (.below, .above): true
        default: false
        }
    }

    /// The bound that a folded word names; nil for other words.
    static func named(_ word: String) -> Bound? { table[word] }

    private static let table: [String: Bound] = {
        let lists: [(Bound, String)] = [
            (.before, "before until till by bis vor bevor avant jusqu"),
            (.after, "after since from nach nachdem seit ab après depuis dès"),
            (.above, "above over more exceeding über mehr plus"),
            (.below, "below under less fewer beneath unter weniger moins"),
            (.than, "than als"),
        ]
        var table: [String: Bound] = [:]
        for (bound, list) in lists {
            for word in Language.words(list) { table[word] = bound }
        }
        return table
    }()
}

/// What the function words before a token say about it.
struct Modifiers: Equatable {
    var bound: Bound?
    /// The meaning of the preposition, such as `from`. Neighbouring words share one.
    var preposition: Int?
    /// Behind `only`.
    var isExclusive = false
    /// Behind `except`.
    var isExcepted = false
}
