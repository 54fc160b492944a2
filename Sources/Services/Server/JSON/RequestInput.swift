package import GatewayAPI
import Hummingbird
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checked parameters of a request's query.
extension Request {
    /// The text of a parameter; nil when it is absent.
    package func parameter(_ name: String) throws(GatewayError) -> String? {
        guard let value = queryField(name) else { return nil }
        return try FieldCheck.text(value, name, maxBytes: 4096, mayBeEmpty: true)
    }

    /// A whole number within a range.
    package func wholeNumber(
        _ name: String, default fallback: Int, in range: ClosedRange<Int>
    ) throws(GatewayError) -> Int {
        guard let text = try parameter(name) else { return fallback }
        return try FieldCheck.limit(Int(text), name, default: nil, in: range)
    }

    /// A finite number within a range.
    package func number(
        _ name: String, default fallback: Double, in range: ClosedRange<Double>
    ) throws(GatewayError) -> Double {
        guard let text = try parameter(name) else { return fallback }
        guard let value = Double(text), value.isFinite, range.contains(value) else {
            throw .field(name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A row's id; nil when it is absent.
    package func rowID(_ name: String) throws(GatewayError) -> Int64? {
        guard let text = try parameter(name) else { return nil }
        guard let id = Int64(text) else { throw .field(name, "must be a whole number") }
        return id
    }

    /// A word from a list; nil when it is absent.
    package func word(_ name: String, of words: [String]) throws(GatewayError) -> String? {
        guard let text = try parameter(name) else { return nil }
        return try FieldCheck.word(text, name, of: words)
    }

    /// A boolean: `true`, `false`, `1` or `0`. An empty value means true, an absent one false.
    package func flag(_ name: String) throws(GatewayError) -> Bool {
        switch try parameter(name)?.lowercased() {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        default: throw .field(name, "must be true or false")
        }
    }

    /// The start of a page; nil for the first page.
    package func cursor() throws(GatewayError) -> PageCursor? { try FieldCheck.cursor(parameter("cursor")) }
}

/// Checked parts of a request's path.
extension GatewayRequestContext {
    package func rowID(_ name: String = "id") throws(GatewayError) -> Int64 {
        guard let id = parameters.get(name, as: Int64.self) else { throw .field(name, "must be a whole number") }
        return id
    }

    /// Text with its percent escapes decoded.
    package func pathText(_ name: String, maxBytes: Int) throws(GatewayError) -> String {
        guard let text = PercentEscapes.resolve(parameters.get(name) ?? "") else {
            throw .field(name, "has percent escapes that are not UTF-8")
        }
        return try FieldCheck.text(text, name, maxBytes: maxBytes)
    }
}

/// Checks single fields of queries, paths and bodies.
package enum FieldCheck {
    /// Checks text that must be storable whole.
    package static func text(
        _ value: String, _ name: String, maxBytes: Int, mayBeEmpty: Bool = false
    ) throws(GatewayError) -> String {
        _ = try bounded(value, name, maxBytes: maxBytes)
        guard mayBeEmpty || !value.isBlank else { throw .field(name, "must not be empty") }
        // SQLite's text ends at a NUL, so text after it would be lost.
        guard !value.utf8.contains(0) else { throw .field(name, "must not contain the character U+0000") }
        return value
    }

    /// Text that is not stored: any characters, empty or not.
    package static func bounded(_ value: String, _ name: String, maxBytes: Int) throws(GatewayError) -> String {
        guard value.utf8.count <= maxBytes else { throw .field(name, "is longer than \(maxBytes) bytes") }
        return value
    }

    /// Text that can be stored whole, where the field may be absent.
    package static func text(_ value: String?, _ name: String, maxBytes: Int) throws(GatewayError) -> String? {
        guard let value else { return nil }
        return try text(value, name, maxBytes: maxBytes) as String
    }

    /// Checks a list of texts, none of them empty.
    package static func texts(
        _ values: [String]?, _ name: String, maxCount: Int, maxBytes: Int
    ) throws(GatewayError) -> [String]? {
        guard let values else { return nil }
        guard values.count <= maxCount else {
            throw .field(name, "has \(values.count) entries; \(maxCount) are the limit")
        }
        for (index, value) in values.enumerated() {
            _ = try text(value, "\(name)[\(index)]", maxBytes: maxBytes) as String
        }
        return values
    }

    /// Checks a whole number within a range.
    ///
    /// - Parameter fallback: The value for an absent number; nil makes an absent number an error.
    package static func limit(
        _ value: Int?, _ name: String = "limit", default fallback: Int?, in range: ClosedRange<Int>
    ) throws(GatewayError) -> Int {
        guard let number = value ?? fallback, range.contains(number) else {
            throw .field(name, "must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Checks a number from 0 to 1.
    package static func share(_ value: Double?, _ name: String) throws(GatewayError) -> Double? {
        guard let value else { return nil }
        guard (0...1).contains(value) else { throw .field(name, "must be from 0 to 1") }
        return value
    }

    /// Checks the choice of a reranker.
    package static func rerank(_ option: RerankOption?) throws(GatewayError) -> RerankOption? {
        if let count = option?.candidates { _ = try limit(count, "rerank.candidates", default: nil, in: 2...200) }
        return option
    }

    /// A time span in days, more than 0.
    package static func days(_ value: Double, _ name: String) throws(GatewayError) -> Double {
        guard value.isFinite, value > 0, value <= 100_000 else {
            throw .field(name, "must be more than 0 and at most 100000")
        }
        return value
    }

    /// A word or an expression with a meaning; nil when it is absent.
    ///
    /// - Parameter expected: What may stand there, for the error.
    package static func parsed<Value>(
        _ text: String?, _ name: String, as expected: String, by parse: (String) -> Value?
    ) throws(GatewayError) -> Value? {
        guard let text else { return nil }
        guard let value = parse(text) else { throw .field(name, "expected \(expected)") }
        return value
    }

    /// Checks a date and returns it as seconds since 1970.
    package static func date(_ value: String?, _ name: String) throws(GatewayError) -> Int64? {
        guard let value else { return nil }
        guard value.utf8.count <= 64, let seconds = Timestamp.unixSeconds(value) else {
            throw .field(name, "is not a date such as 2026-01-31, 2026-01-31 12:00:00 or 2026-01-31T12:00:00Z")
        }
        return seconds
    }

    /// Checks the start of a page.
    package static func cursor(_ text: String?) throws(GatewayError) -> PageCursor? {
        guard let text else { return nil }
        guard let cursor = PageCursor(text: text) else {
            throw .field("cursor", "expected the next_cursor of a reply")
        }
        return cursor
    }

    /// Checks a word from a list.
    package static func word(_ value: String, _ name: String, of words: [String]) throws(GatewayError) -> String {
        guard words.contains(value) else { throw .field(name, "expected \(words.joined(separator: ", "))") }
        return value
    }

    /// Checks a vector: 1 to ``NotesLimits/maxDimensions`` finite numbers that give a direction.
    package static func vector(_ value: VectorValue, _ name: String) throws(GatewayError) -> [Float] {
        guard (1...NotesLimits.maxDimensions).contains(value.values.count) else {
            throw .field(name, "must have 1 to \(NotesLimits.maxDimensions) numbers")
        }
        guard value.values.allSatisfy(\.isFinite) else { throw .field(name, "must have finite numbers only") }
        return value.values
    }
}

/// Decodes percent escapes in a path.
enum PercentEscapes {
    /// Returns the text; nil when an escape is incomplete or the bytes are not UTF-8.
    static func resolve(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
