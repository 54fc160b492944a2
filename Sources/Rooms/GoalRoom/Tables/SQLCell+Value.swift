import Database

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
