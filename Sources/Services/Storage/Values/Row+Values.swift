import Foundation
import GRDB

/// Columns as they are found: another program may have left anything there, and that must not end this one.
///
/// GRDB's own subscripts trap on a value of another type, so they are used in this file alone.
extension Row {
    /// Text; numbers as text. Bytes that are not UTF-8 are no text.
    func text(_ column: String) -> String? { self.value(column).asText }

    /// Text; numbers as text. Bytes that are not UTF-8 are no text.
    func text(_ index: Int) -> String? { self.value(index).asText }

    /// A date as text: numbers are seconds or milliseconds since 1970.
    func date(_ column: String) -> String? { self.value(column).asDate }

    /// A date as text: numbers are seconds or milliseconds since 1970.
    func date(_ index: Int) -> String? { self.value(index).asDate }

    /// A finite number.
    func real(_ column: String) -> Double? { self.value(column).asReal }

    /// A finite number.
    func real(_ index: Int) -> Double? { self.value(index).asReal }

    /// A whole number.
    func integer(_ column: String) -> Int64? { self.value(column).asInteger }

    /// A whole number.
    func integer(_ index: Int) -> Int64? { self.value(index).asInteger }

    /// A whole number; 0 for anything else, the nearest one for one that does not fit.
    func count(_ column: String) -> Int { Int(clamping: integer(column) ?? 0) }

    /// A whole number; 0 for anything else, the nearest one for one that does not fit.
    func count(_ index: Int) -> Int { Int(clamping: integer(index) ?? 0) }

    /// Bytes; text as its UTF-8.
    func bytes(_ column: String) -> Data? { self.value(column).asBytes }

    /// Bytes; text as its UTF-8.
    func bytes(_ index: Int) -> Data? { self.value(index).asBytes }

    /// Whether a column has any value.
    func hasValue(_ column: String) -> Bool { !self.value(column).isNull }

    private func value(_ column: String) -> DatabaseValue { hasColumn(column) ? self[column] : .null }

    private func value(_ index: Int) -> DatabaseValue { index >= 0 && index < count ? self[index] : .null }
}

extension DatabaseValue {
    /// Text; numbers as text. Bytes that are not UTF-8 are no text.
    var asText: String? {
        switch storage {
        case .null: nil
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let data): String(validating: data, as: UTF8.self)
        }
    }

    /// A finite number, also one that is written as text.
    var asReal: Double? {
        let number: Double? =
            switch storage {
            case .int64(let number): Double(number)
            case .double(let number): number
            case .string(let text) where text.utf8.count <= 64: Double(text)
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// A whole number, also one that is written as text or as a floating-point number.
    var asInteger: Int64? {
        switch storage {
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        case .string(let text) where text.utf8.count <= 20: Int64(text)
        default: nil
        }
    }

    /// Bytes; text as its UTF-8.
    var asBytes: Data? {
        switch storage {
        case .blob(let data): data
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }

    /// A date as text: numbers are seconds, or milliseconds when they are large, since 1970.
    var asDate: String? {
        let number: Double? =
            switch storage {
            case .int64(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        guard let number, number.isFinite else { return asText }
        let seconds = abs(number) > 99_999_999_999 ? number / 1000 : number
        // Beyond the year 9999 it is no date.
        guard abs(seconds) < 253_402_300_800 else { return asText }
        return Timestamp.text(Int64(seconds))
    }
}
