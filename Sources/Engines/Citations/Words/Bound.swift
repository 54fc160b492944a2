import Language

/// The side of a time, an amount or a matter that a function word names: `before May`, `under 5 g`, `against it`.
enum Bound: Equatable {
    case before, after
    case above, below
    /// Above, or during: `over five years`.
    case over
    case atLeast, atMost
    case favouring, opposing
    /// `greater than`: a side that another word names.
    case than

    /// Whether two bounds name different sides of the same thing.
    func excludes(_ other: Bound) -> Bool {
        switch (self, other) {
        case (.before, .after), (.after, .before), (.favouring, .opposing), (.opposing, .favouring): true
        case (.above, .below), (.above, .atMost), (.below, .above), (.below, .atLeast): true
        case (.over, .below), (.over, .atMost), (.below, .over), (.atMost, .over): true
        case (.atLeast, .atMost), (.atLeast, .below), (.atMost, .atLeast), (.atMost, .above): true
        default: false
        }
    }

    /// What `no` makes of the bound: `no more than` is `at most`.
    var denied: Bound {
        switch self {
        case .above: .atMost
        case .below: .atLeast
        case .before: .after
        case .after: .before
        default: self
        }
    }

    /// The bound that a folded word names; nil for other words.
    static func named(_ word: String) -> Bound? { table[word] }

    /// The bound of a comparative with `than`: `longer than`, `kürzer als`; nil for other words.
    static func comparing(_ word: String) -> Bound? { comparatives[word] }

    private static let comparatives = table(of: [
        (
            .above,
            "more longer greater larger higher bigger older heavier faster mehr länger größer höher älter schwerer schneller plus"
        ),
        (
            .below,
            "less fewer shorter smaller lower younger lighter slower weniger kürzer kleiner niedriger jünger leichter dünner moins"
        ),
        (.after, "later später"), (.before, "earlier früher"),
    ])

    private static let table = table(of: [
        (.before, "before until till by bis vor bevor avant jusqu"),
        (.after, "after since from nach nachdem seit ab après depuis dès"),
        (.above, "above more exceeding mehr plus"),
        (.over, "over über"), (.below, "below under less fewer beneath unter weniger moins"),
        (.atLeast, "mindestens wenigstens"), (.atMost, "höchstens maximal"),
        (.favouring, "for für pour"), (.opposing, "against gegen contre"), (.than, "than als"),
    ])

    private static func table(of lists: [(Bound, String)]) -> [String: Bound] {
        var table: [String: Bound] = [:]
        for (bound, list) in lists {
            for word in WordList.folded(list) { table[word] = bound }
        }
        return table
    }
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
