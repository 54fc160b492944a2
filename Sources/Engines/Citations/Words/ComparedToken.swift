/// A word or a number that is compared.
struct ComparedToken {
    enum Kind: Equatable {
        /// A word that carries meaning.
        case word
        /// A number, with what it counts.
        case number(ComparedQuantity)
        /// A function word: looked at only when texts are aligned.
        case function
    }

    var kind: Kind
    /// The meaning's number in the vocabulary.
    var id: Int
    /// Characters of an answer; UTF-8 bytes of a passage.
    var range: Range<Int>
    /// The clause within the text.
    var clause: Int
    /// Whether the word is a name: a capital within a sentence of a language that does not write nouns so.
    var isName = false
    /// Whether the word begins its sentence with a capital: perhaps a name.
    var isFirst = false

    /// Whether the word stands where a noun does: behind an article or a preposition, or with a German capital.
    var isNounLike = false

    /// Whether the word stands behind `is` and the like.
    var isPredicate = false

    /// Whether the word owns the next one: `Agathe's sister`.
    var isPossessive = false

    /// Whether the word looks like a comparative: `cheaper`, `more frequent`.
    var isComparative = false

    /// Whether the word is the first behind a negation.
    var isDenied = false

    /// What the function words before say about the token.
    var modifiers = Modifiers()

    var isContent: Bool { kind != .function }

    var quantity: ComparedQuantity? {
        if case .number(let quantity) = kind { return quantity }
        return nil
    }
}

/// A number and its unit.
struct ComparedQuantity: Equatable {
    var value: Double
    var unit: ComparedUnit?
    /// Whether this is the month of a date in digits.
    var isMonth = false
    /// Whether the number gives a place in an order: third.
    var isOrdinal = false
    /// Whether the word is used as a pronoun, too: it contradicts no number.
    var isWeak = false

    /// Whether two quantities may be the same. One without a unit equals any unit.
    func agrees(with other: ComparedQuantity) -> Bool {
        guard let unit, let theirs = other.unit, unit != theirs else { return Self.same(value, other.value, 1e-9) }
        guard unit.dimension == theirs.dimension else { return false }
        return Self.same(value * unit.factor, other.value * theirs.factor, 0.002)
    }

    /// Whether both numbers are equal but count different things.
    func differsInUnit(from other: ComparedQuantity) -> Bool {
        guard let unit, let theirs = other.unit else { return false }
        return Self.same(value, other.value, 1e-9) && unit != theirs && !agrees(with: other)
    }

    private static func same(_ left: Double, _ right: Double, _ tolerance: Double) -> Bool {
        abs(left - right) <= tolerance * max(abs(left), abs(right))
    }
}

/// Whether a clause denies.
struct Polarity: Equatable {
    /// Whether a word such as `not` is there.
    var isNegated = false
    /// Words that deny by their meaning, such as `unable`.
    var soft: Set<String> = []
    /// Whether the clause says what holds under a condition, or names the condition.
    var isConditional = false

    /// Whether two clauses may affirm, or deny, the same: a word that denies by its meaning in one of them only leaves that
    /// open.
    func agrees(with other: Polarity) -> Bool { isNegated == other.isNegated || soft != other.soft }
}
