/// Collects what is wrong with the fields of one entity.
struct GoalFieldCheck {
    /// Characters of a title at most.
    static let maxTitle = 500
    /// UTF-8 bytes of any other text at most.
    static let maxText = 100_000
    /// The largest amount.
    static let maxAmount = 1e12

    private let entity: String
    private var faults: [InvalidFields.Fault] = []

    init(_ entity: String) { self.entity = entity }

    mutating func require(_ condition: Bool, _ field: String, _ expected: String, got: String) {
        guard !condition else { return }
        faults.append(InvalidFields.Fault(field: field, expected: expected, got: String(got.prefix(64))))
    }

    /// A value that may not be absent.
    mutating func present(_ value: (some Any)?, _ field: String, _ expected: String) {
        require(value != nil, field, expected, got: "nothing")
    }

    mutating func range<Value: Comparable>(_ field: String, _ value: Value?, _ range: ClosedRange<Value>) {
        guard let value else { return }
        require(range.contains(value), field, "\(range.lowerBound) to \(range.upperBound)", got: "\(value)")
    }

    /// A text without a NUL, within the limit; with something in it besides white space if it is required.
    mutating func text(_ field: String, _ value: String?, required: Bool = false, limit: Int = Self.maxText) {
        let value = value ?? ""
        if required { require(!value.allSatisfy(\.isWhitespace), field, "text", got: "nothing") }
        require(value.utf8.count <= limit, field, "at most \(limit) bytes", got: "\(value.utf8.count)")
        require(!value.utf8.contains(0), field, "text without NUL", got: "NUL")
    }

    /// A finite number from 0 to ``maxAmount`` that a fraction can hold.
    mutating func amount(_ field: String, _ value: Double?, positive: Bool = false) {
        guard let value else { return }
        let isValid = value.isFinite && (positive ? value > 0 : value >= 0) && value <= Self.maxAmount
        require(
            isValid && Rational(value) != nil, field, "a number \(positive ? "above" : "of at least") 0, at most 1e12",
            got: "\(value)")
    }

    mutating func unit(_ field: String, _ text: String?) {
        guard let text else { return }
        require(Unit(parsing: text, custom: true) != nil, field, "a unit such as km or min/km", got: "\"\(text)\"")
    }

    mutating func order(_ field: String, _ end: LocalDay?, notBefore start: LocalDay?) {
        guard let end, let start else { return }
        require(end >= start, field, "\(start) or later", got: "\(end)")
    }

    func finish() throws(InvalidFields) {
        if !faults.isEmpty { throw InvalidFields(entity: entity, faults: faults) }
    }
}
