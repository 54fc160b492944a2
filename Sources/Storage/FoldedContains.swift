import Foundation
import GRDB
import Synchronization

/// Substring search that folds case over all of Unicode, where SQLite's own LIKE knows ASCII only.
enum FoldedContains {
    /// `gateway_contains(text, folded)`: whether a text contains another that was folded before.
    static let sqlFunction = DatabaseFunction("gateway_contains", argumentCount: 2, pure: true) { values in
        guard let text = values[0].asText, let sought = values[1].asText else {
            return false
        }
        return contains(text, needles.needle(of: sought))
    }

    /// Whether a text contains what is sought.
    static func contains(_ text: String, _ needle: FoldedNeedle) -> Bool {
        var text = text
        switch text.withUTF8({ needle.verdict(UnsafeRawBufferPointer($0)) }) {
        case .absent: return false
        case .present: return true
        case .open: return needle.isIn(folded: fold(text))
        }
    }

    private static let needles = LastNeedle()

    /// What was sought last; a scan asks for the same one again and again.
    private final class LastNeedle: Sendable {
        private let last = Mutex<(text: String, needle: FoldedNeedle)?>(nil)

        func needle(of text: String) -> FoldedNeedle {
            if let last = last.withLock({ $0 }), last.text == text { return last.needle }
            let needle = FoldedNeedle(folded: text)
            last.withLock { $0 = (text, needle) }
            return needle
        }
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
}
