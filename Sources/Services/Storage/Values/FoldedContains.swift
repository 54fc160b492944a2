import GRDB
import Synchronization
import Text

/// Substring search that folds text as ``TextFolding`` does, where SQLite's own LIKE folds ASCII only.
enum FoldedContains {
    /// `gateway_contains(text, folded)`: whether a text contains another that was folded before.
    static let sqlFunction = DatabaseFunction("gateway_contains", argumentCount: 2, pure: true) { values in
        guard let text = values[0].asText, let sought = values[1].asText else {
            return false
        }
        return needles.needle(of: sought).isIn(text)
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

    /// A condition over several columns, one of which contains a text, and its arguments. Numbers and blobs, which other
    /// programs write, are searched as the text that SQLite makes of them.
    static func condition(_ columns: [String], contain text: String) -> (sql: String, arguments: StatementArguments) {
        let folded = TextFolding.folded(text)
        let terms = columns.map { "gateway_contains(CAST(\($0) AS TEXT), ?)" }
        return (
            "(" + terms.joined(separator: " OR ") + ")", StatementArguments(columns.map { _ in folded })
        )
    }
}
