import Database
import Foundation
import GRDB

/// Reads columns safely: another program may have stored any value, and that must not end this process.
///
/// GRDB's own subscripts trap on a value of another type, so only this file uses them.
extension Row {
    /// Text, or a number as text; nil for NULL and for bytes that are not UTF-8.
    func text(_ column: String) -> String? { self.value(column).asText }

    /// Text, or a number as text; nil for NULL and for bytes that are not UTF-8.
    func text(_ index: Int) -> String? { self.value(index).asText }

    /// A date as text; numbers are read as seconds or milliseconds since 1970.
    func date(_ column: String) -> String? { self.value(column).asDate }

    /// A date as text; numbers are read as seconds or milliseconds since 1970.
    func date(_ index: Int) -> String? { self.value(index).asDate }

    /// A finite number; nil for anything else.
    func real(_ column: String) -> Double? { self.value(column).asReal }

    /// A finite number; nil for anything else.
    func real(_ index: Int) -> Double? { self.value(index).asReal }

    /// An integer; nil for anything else.
    func integer(_ column: String) -> Int64? { self.value(column).asInteger }

    /// An integer; nil for anything else.
    func integer(_ index: Int) -> Int64? { self.value(index).asInteger }

    /// An integer, clamped to `Int`; 0 for anything else.
    func count(_ column: String) -> Int { Int(clamping: integer(column) ?? 0) }

    /// An integer, clamped to `Int`; 0 for anything else.
    func count(_ index: Int) -> Int { Int(clamping: integer(index) ?? 0) }

    /// Bytes, or text as its UTF-8; nil for anything else.
    func bytes(_ column: String) -> Data? { self.value(column).asBytes }

    /// Bytes, or text as its UTF-8; nil for anything else.
    func bytes(_ index: Int) -> Data? { self.value(index).asBytes }

    /// Whether a column exists and is not NULL.
    func hasValue(_ column: String) -> Bool { !self.value(column).isNull }

    private func value(_ column: String) -> DatabaseValue { hasColumn(column) ? self[column] : .null }

    private func value(_ index: Int) -> DatabaseValue { index >= 0 && index < count ? self[index] : .null }
}

extension DatabaseValue {
    /// The value without GRDB, whose readings are one rule for both engines.
    var cell: SQLCell {
        switch storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        }
    }

    var asText: String? { cell.asText }
    var asReal: Double? { cell.asReal }
    var asInteger: Int64? { cell.asInteger }
    var asDate: String? { cell.asDate }

    /// Bytes, or text as its UTF-8; nil for anything else.
    var asBytes: Data? {
        switch storage {
        case .blob(let data): data
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }
}

extension Row {
    /// The value as it is stored; NULL for a column that the row lacks.
    func raw(_ column: String) -> DatabaseValue { hasColumn(column) ? self[column] : .null }

    /// The same without GRDB.
    func cell(_ column: String) -> SQLCell { raw(column).cell }
}
