/// Comma-separated values by RFC 4180, safe for spreadsheets.
///
/// A spreadsheet runs a field that begins with `=`, `+`, `-`, `@`, a tab or a carriage return as a formula, unless it is a
/// number. Such a field is written with an apostrophe before it, and read without.
package enum CSV {
    /// Fields of a line, quoted where they need it, with a line feed.
    package static func line(_ fields: [String]) -> String {
        fields.map { field in
            let field = isFormula(field) ? "'\(field)" : field
            let isPlain = !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            return isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",") + "\n"
    }

    /// The field without the apostrophe that ``line(_:)`` wrote before it.
    package static func read(_ field: String) -> String {
        field.hasPrefix("'") && isFormula(field) ? String(field.dropFirst()) : field
    }

    private static let marks = Set("=+-@\t\r＝＋－＠".unicodeScalars)

    /// Whether a field begins with a mark of formulas, also behind apostrophes, and is no number.
    private static func isFormula(_ field: String) -> Bool {
        guard let first = field.unicodeScalars.first(where: { $0 != "'" }), marks.contains(first) else { return false }
        return field.hasPrefix("'") || Double(field) == nil
    }
}
