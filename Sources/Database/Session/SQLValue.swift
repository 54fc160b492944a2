package import GatewayAPI

/// A parameter of a statement. NULL has a type, too: PostgreSQL asks for one.
package enum SQLValue: Sendable, Hashable {
    case integer(Int64?)
    case real(Double?)
    case bool(Bool?)
    case text(String?)
    case bytes([UInt8]?)

    /// A count as an integer.
    package static func count(_ count: Int?) -> SQLValue { .integer(count.map(Int64.init)) }

    /// Any number of rows in one parameter, for ``SQLDialect/list(_:_:texts:)``.
    package static func list(_ rows: [[JSONValue]]) -> SQLValue {
        .text(String(decoding: JSONValue.array(rows.map { .array($0) }).json, as: UTF8.self))
    }

    /// Whole numbers in one parameter, for ``SQLDialect/numbers(_:)``: the text of a statement is the same for any number of them.
    package static func numbers(_ numbers: some Sequence<Int64>) -> SQLValue {
        .text("[" + numbers.map(String.init).joined(separator: ",") + "]")
    }

    /// Texts in one parameter, for ``SQLDialect/texts(_:)``.
    package static func texts(_ texts: [String]) -> SQLValue {
        .text(String(decoding: JSONValue.array(texts.map(JSONValue.string)).json, as: UTF8.self))
    }
}

extension [SQLValue] {
    /// `$1, $2, …`, a place for each value.
    package var places: String { indices.map { "$\($0 + 1)" }.joined(separator: ", ") }
}

/// A value of a row. Another program may have written any kind into any column, so each reading is of those kinds that mean
/// what was asked for, else nil.
package enum SQLCell: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    /// Text, or a number as text; nil for NULL and for bytes that are not UTF-8.
    package var asText: String? {
        switch self {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        }
    }

    /// With U+FFFD for U+0000, which PostgreSQL's texts cannot hold.
    package var withoutZero: SQLCell {
        guard case .text(let text) = self else { return self }
        return .text(Self.withoutZero(text))
    }

    /// The text with U+FFFD for U+0000.
    package static func withoutZero(_ text: String) -> String {
        text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    }

    /// A finite number, also one written as text.
    package var asReal: Double? {
        let number: Double? =
            switch self {
            case .integer(let number): Double(number)
            case .real(let number): number
            case .text(let text) where text.utf8.count <= 64: Double(text)
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// An integer, also one written as text or as a floating-point number.
    package var asInteger: Int64? {
        switch self {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number)
        case .text(let text) where text.utf8.count <= 20: Int64(text)
        default: nil
        }
    }

    /// Bytes, or text as its UTF-8.
    package var asBytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        default: nil
        }
    }

    /// A date as text; numbers are seconds since 1970, or milliseconds above 99,999,999,999.
    package var asDate: String? {
        let number: Double? =
            switch self {
            case .integer(let number): Double(number)
            case .real(let number): number
            default: nil
            }
        guard let number, number.isFinite else { return asText }
        let seconds = abs(number) > 99_999_999_999 ? number / 1000 : number
        // A time after the year 9999 is not a date.
        guard abs(seconds) < 253_402_300_800 else { return asText }
        return Timestamp.text(Int64(seconds))
    }
}

/// A row of an answer. Columns are counted from 0; one that does not exist reads as NULL.
package struct SQLRow: Sendable, Hashable {
    package let cells: [SQLCell]

    package init(_ cells: [SQLCell]) { self.cells = cells }

    private func cell(_ column: Int) -> SQLCell { cells.indices.contains(column) ? cells[column] : .null }

    package func isNull(_ column: Int) -> Bool { cell(column) == .null }
    package func text(_ column: Int) -> String? { cell(column).asText }
    package func integer(_ column: Int) -> Int64? { cell(column).asInteger }
    package func real(_ column: Int) -> Double? { cell(column).asReal }
    package func bytes(_ column: Int) -> [UInt8]? { cell(column).asBytes }
    package func date(_ column: Int) -> String? { cell(column).asDate }
    /// An integer, clamped to `Int`; 0 for anything else.
    package func count(_ column: Int) -> Int { Int(clamping: integer(column) ?? 0) }
    /// Whether a value is a number other than 0.
    package func bool(_ column: Int) -> Bool { integer(column).map { $0 != 0 } ?? false }
}
