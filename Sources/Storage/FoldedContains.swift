import Foundation
import GRDB

/// Substring search that folds case over all of Unicode, where SQLite's own LIKE knows ASCII only.
enum FoldedContains {
    /// `gateway_contains(text, folded)`: whether a text contains another that was folded before.
    static let sqlFunction = DatabaseFunction("gateway_contains", argumentCount: 2, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]), let sought = String.fromDatabaseValue(values[1]) else {
            return false
        }
        // Plain ASCII, as most texts are, folds to plain ASCII: what is sought beyond that is not in it.
        let mayContain = text.utf8.contains { $0 >= 0x80 } || !sought.utf8.contains { $0 >= 0x80 }
        return mayContain && contains(fold(text), sought)
    }

    /// Lower case, composed.
    static func fold(_ text: String) -> String { text.lowercased().precomposedStringWithCanonicalMapping }

    /// A condition over two columns, and its arguments: SQLite's LIKE where that folds enough, and the function above where
    /// it does not.
    static func condition(_ columns: [String], contain text: String) -> (sql: String, arguments: StatementArguments) {
        let terms: [String]
        let pattern: String
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            pattern = "%" + text.replacing(/[\\%_]/) { "\\" + $0.output } + "%"
            terms = columns.map { "\($0) LIKE ? ESCAPE '\\'" }
        } else {
            pattern = fold(text)
            terms = columns.map { "gateway_contains(\($0), ?)" }
        }
        return (
            "(" + terms.joined(separator: " OR ") + ")", StatementArguments(columns.map { _ in pattern })
        )
    }

    private static func contains(_ text: String, _ sought: String) -> Bool {
        let needle = Array(sought.utf8)
        guard let first = needle.first else { return true }
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count >= needle.count else { return false }
            for start in 0...(bytes.count - needle.count) where bytes[start] == first {
                if bytes[start..<start + needle.count].elementsEqual(needle) { return true }
            }
            return false
        }
    }
}
