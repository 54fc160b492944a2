import Database

/// The parameters of a statement that is put together.
struct GoalParameters {
    private(set) var values: [SQLValue] = []

    /// Adds a value; returns its place in the statement.
    mutating func add(_ value: SQLValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    mutating func add(_ text: String) -> String { add(.text(text)) }

    /// Adds values; returns a list of their places. The last one is repeated up to a power of two, so that there are few
    /// statements of each kind.
    mutating func list(_ all: [SQLValue]) -> String {
        guard let last = all.last else { return "(NULL)" }
        var count = 1
        while count < all.count { count *= 2 }
        let places = (all + Array(repeating: last, count: count - all.count)).map { add($0) }
        return "(\(places.joined(separator: ", ")))"
    }

    mutating func list(_ texts: [String]) -> String { list(texts.map { .text($0) }) }
}

extension String {
    /// The name of a column as SQL.
    var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }
}

extension SQLCell {
    /// The value as a parameter.
    var value: SQLValue {
        switch self {
        case .null: .text(nil)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }

    /// Whether two values are equal; a whole number is the same in either kind.
    func isSame(as other: SQLCell) -> Bool {
        switch (self, other) {
        case (.integer(let whole), .real(let number)), (.real(let number), .integer(let whole)):
            Int64(exactly: number) == whole
        default: self == other
        }
    }
}
