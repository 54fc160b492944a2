#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is wrong with the text of a configuration file.
enum ConfigurationText {
    /// A sentence with the line, or the key, that is wrong.
    static func problem(of data: Data, _ error: any Error, _ path: String) -> String {
        if case DecodingError.typeMismatch(_, let context) = error { return wrongValue(context, path) }
        guard let place = brokenPlace(in: [UInt8](data)) else {
            if case DecodingError.dataCorrupted(let context) = error, !context.codingPath.isEmpty {
                return wrongValue(context, path)
            }
            return "the configuration file \(path) is not a JSON object of plain values, such as {\"port\": 8080}"
        }
        return "the configuration file \(path) is not JSON: line \(place.line), column \(place.column): \(place.reason)"
    }

    private static func wrongValue(_ context: DecodingError.Context, _ path: String) -> String {
        guard let key = context.codingPath.first?.stringValue else {
            return "the configuration file \(path) is not a JSON object; expected for example {\"port\": 8080}"
        }
        return
            "the configuration file \(path): \"\(key)\": expected a text, a number, true, false, a list of texts or an object"
    }

    private struct Broken: Error {
        var at: Int
        var reason: String
    }

    /// Where the text stops being JSON; nil when it does not.
    static func brokenPlace(in bytes: [UInt8]) -> (line: Int, column: Int, reason: String)? {
        var reader = Reader(bytes: bytes)
        do {
            try reader.whole()
            return nil
        } catch {
            let before = bytes[..<min(error.at, bytes.count)]
            let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
            return (before.count { $0 == 0x0A } + 1, column, error.reason)
        }
    }

    /// Walks through JSON without keeping it. The depth is limited, so that no file overflows the stack.
    private struct Reader {
        static let maxDepth = 64

        let bytes: [UInt8]
        var place = 0

        mutating func whole() throws(Broken) {
            try value(depth: 0)
            skipSpace()
            if place < bytes.count { throw wrong("expected the end of the file after the closing }") }
        }

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private func wrong(_ reason: String) -> Broken { Broken(at: place, reason: reason) }

        private mutating func skipSpace() {
            while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
        }

        private mutating func value(depth: Int) throws(Broken) {
            skipSpace()
            guard depth < Self.maxDepth else { throw wrong("the nesting is too deep") }
            switch next {
            case UInt8(ascii: "{")?: try list(depth, until: UInt8(ascii: "}"), isObject: true)
            case UInt8(ascii: "[")?: try list(depth, until: UInt8(ascii: "]"), isObject: false)
            case UInt8(ascii: "\"")?: try text()
            case nil: throw wrong("the file ends where a value is expected")
            default: try word()
            }
        }

        private mutating func list(_ depth: Int, until end: UInt8, isObject: Bool) throws(Broken) {
            let close = Character(Unicode.Scalar(end))
            place += 1
            skipSpace()
            if next == end {
                place += 1
                return
            }
            while true {
                skipSpace()
                if isObject {
                    guard next == UInt8(ascii: "\"") else { throw wrong("expected a key in double quotes") }
                    try text()
                    skipSpace()
                    guard next == UInt8(ascii: ":") else { throw wrong("expected : after the key") }
                    place += 1
                }
                try value(depth: depth + 1)
                skipSpace()
                if next == UInt8(ascii: ",") {
                    place += 1
                    skipSpace()
                    if next == end { throw wrong("a comma before \(close)") }
                } else if next == end {
                    place += 1
                    return
                } else {
                    throw wrong("expected , or \(close)")
                }
            }
        }

        private mutating func text() throws(Broken) {
            let start = place
            place += 1
            while let byte = next, byte != UInt8(ascii: "\""), byte != 0x0A {
                place += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            guard next == UInt8(ascii: "\"") else {
                throw Broken(at: start, reason: "a text without its closing quote")
            }
            place += 1
        }

        private mutating func word() throws(Broken) {
            let start = place
            while let byte = next, ![0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D, 0x3A].contains(byte) { place += 1 }
            let word = String(decoding: bytes[start..<place], as: UTF8.self)
            if ["true", "false", "null"].contains(word) || word.first?.isNumber == true || word.first == "-" { return }
            throw Broken(
                at: start, reason: word.isEmpty ? "expected a value" : "\"\(word)\" needs double quotes, or is no value"
            )
        }
    }
}
