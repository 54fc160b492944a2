import Gateway
import Server

/// Text that is safe to write to a terminal: interpolated values lose their control characters.
///
/// Literals are the program's own and stay unchanged. Notes, models' answers, file names and errors come from outside:
/// they must not move the cursor, set the clipboard or reverse the direction of text.
struct SafeText: ExpressibleByStringInterpolation, Sendable {
    /// The text, ready to be written.
    let raw: String

    /// Cleans text from outside, see ``clean(_:)``.
    init(_ text: String) { raw = Self.clean(text) }

    /// Cleans text from outside and replaces its line breaks with spaces.
    init(oneLine text: String) {
        raw = Self.clean(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    init(stringLiteral value: String) { raw = value }

    init(stringInterpolation: StringInterpolation) { raw = stringInterpolation.raw }

    private init(trusted: String) { raw = trusted }

    /// Collects literals unchanged and cleans interpolated values.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var raw = ""

        init(literalCapacity: Int, interpolationCount: Int) { raw.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { raw += literal }

        mutating func appendInterpolation(_ text: SafeText) { raw += text.raw }

        mutating func appendInterpolation<Value>(_ value: Value) { raw += SafeText.clean("\(value)") }
    }

    static func + (left: SafeText, right: SafeText) -> SafeText { SafeText(trusted: left.raw + right.raw) }

    static func + (left: SafeText, right: String) -> SafeText { left + SafeText(right) }

    /// Joins lines with line feeds.
    static func lines(_ lines: [SafeText]) -> SafeText {
        SafeText(trusted: lines.map(\.raw).joined(separator: "\n"))
    }

    /// Indents each line by a number of spaces.
    func indented(by count: Int) -> SafeText {
        let margin = String(repeating: " ", count: count)
        return SafeText(trusted: raw.split(separator: "\n").map { margin + $0 }.joined(separator: "\n"))
    }

    /// Wraps the text in the program's own escape sequences.
    func styled(_ start: String, _ end: String) -> SafeText { SafeText(trusted: start + raw + end) }

    /// Removes the characters that control a terminal. Line feeds and tabs stay; other separators become spaces.
    static func clean(_ text: String) -> String {
        guard ControlScalar.isIn(text) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n", "\t": result.append(scalar)
            case "\u{85}", "\u{2028}", "\u{2029}": result.append(" ")
            case _ where ControlScalar.contains(scalar): break
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
