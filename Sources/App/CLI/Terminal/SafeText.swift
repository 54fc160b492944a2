import Gateway
import Server

/// Text that may be written to a terminal: everything that was interpolated into it is without control characters.
///
/// Literals are the program's own and stay as they are. Notes, models' answers, file names and errors come from outside:
/// none of them moves the cursor, sets the clipboard or turns the direction of text.
struct SafeText: ExpressibleByStringInterpolation, Sendable {
    /// What is written.
    let raw: String

    /// Text from outside, see ``clean(_:)``.
    init(_ text: String) { raw = Self.clean(text) }

    /// Text from outside that must not begin a line: its line breaks become spaces.
    init(oneLine text: String) {
        raw = Self.clean(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    init(stringLiteral value: String) { raw = value }

    init(stringInterpolation: StringInterpolation) { raw = stringInterpolation.raw }

    private init(trusted: String) { raw = trusted }

    /// Collects the parts of a literal.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var raw = ""

        init(literalCapacity: Int, interpolationCount: Int) { raw.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { raw += literal }

        mutating func appendInterpolation(_ text: SafeText) { raw += text.raw }

        mutating func appendInterpolation<Value>(_ value: Value) { raw += SafeText.clean("\(value)") }
    }

    static func + (left: SafeText, right: SafeText) -> SafeText { SafeText(trusted: left.raw + right.raw) }

    static func + (left: SafeText, right: String) -> SafeText { left + SafeText(right) }

    /// Lines, one under the other.
    static func lines(_ lines: [SafeText]) -> SafeText {
        SafeText(trusted: lines.map(\.raw).joined(separator: "\n"))
    }

    /// The text with spaces before each line.
    func indented(by count: Int) -> SafeText {
        let margin = String(repeating: " ", count: count)
        return SafeText(trusted: raw.split(separator: "\n").map { margin + $0 }.joined(separator: "\n"))
    }

    /// The text between escape sequences of the program's own.
    func styled(_ start: String, _ end: String) -> SafeText { SafeText(trusted: start + raw + end) }

    /// Text without the characters that a terminal obeys. Line feeds and tabs stay; other separators become spaces.
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
