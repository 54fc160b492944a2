import GRDB
import Synchronization
import Text

/// Substring search in SQL that folds text as ``TextFolding`` does. SQLite's own LIKE folds ASCII only.
enum FoldedContains {
    /// The SQL function `gateway_contains(text, folded)`: whether a text contains another, already folded text.
    static let sqlFunction = DatabaseFunction("gateway_contains", argumentCount: 2, pure: true) { values in
        guard let text = values[0].asText, let query = values[1].asText else {
            return false
        }
        return needles.needle(of: query).isIn(text)
    }

    private static let needles = LastNeedle()

    /// Caches the last needle, since a scan asks for the same needle for each row.
    private final class LastNeedle: Sendable {
        private let last = Mutex<(text: String, needle: FoldedNeedle)?>(nil)

        func needle(of text: String) -> FoldedNeedle {
            if let last = last.withLock({ $0 }), last.text == text { return last.needle }
            let needle = FoldedNeedle(folded: text)
            last.withLock { $0 = (text, needle) }
            return needle
        }
    }

    /// Returns a condition that one of several columns contains a text, and its arguments. Numbers and blobs, which
    /// other programs write, are searched as SQLite's text of them.
    static func condition(_ columns: [String], contain text: String) -> (sql: String, arguments: StatementArguments) {
        let folded = TextFolding.folded(text)
        let terms = columns.map { "gateway_contains(CAST(\($0) AS TEXT), ?)" }
        return (
            "(" + terms.joined(separator: " OR ") + ")", StatementArguments(columns.map { _ in folded })
        )
    }
}
