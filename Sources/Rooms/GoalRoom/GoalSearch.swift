import Database
import Text

/// Substring search that folds texts as ``TextFolding`` does.
enum GoalSearch {
    /// The condition that one of several columns contains a text.
    ///
    /// A file has a function for it. Of a server the texts are read, so that both find the same rows.
    ///
    /// - Parameters:
    ///   - columns: The columns, after the key of the table.
    ///   - table: The table, with its name in the statement.
    static func condition(
        _ columns: [String], of table: String, contain text: String, _ parameters: inout SQLParameters,
        _ session: any SQLSession
    ) throws -> String {
        let folded = TextFolding.folded(text)
        guard session.dialect == .postgres else {
            let needle = parameters.add(folded)
            let terms = columns.dropFirst().map { "gateway_contains(CAST(\($0) AS TEXT), \(needle))" }
            return "(\(terms.joined(separator: " OR ")))"
        }
        let needle = FoldedNeedle(folded: folded)
        var found: [String] = []
        try session.each("SELECT \(columns.joined(separator: ", ")) FROM \(table)", []) { row in
            let isFound = columns.indices.dropFirst().contains { row.text($0).map { needle.isIn($0) } ?? false }
            if isFound, let id = row.text(0) { found.append(id) }
        }
        return "\(columns[0]) IN \(session.dialect.texts(parameters.add(.texts(found))))"
    }
}
