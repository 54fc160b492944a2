extension EvaluationReport {
    /// The report for a terminal: a table in which `*` marks the best mode of each metric, then the comparisons.
    ///
    /// - Parameter decimals: Decimals of the metrics.
    package func textTable(decimals: Int = 4) -> String {
        let metrics = metrics
        let timed = modes.contains { $0.latency != nil }
        var rows = [["mode"] + metrics.map { "\($0) " } + (timed ? ["p50 ms", "p95 ms"] : [])]
        for mode in modes {
            let values = metrics.map { metric in
                mode.metrics[metric].map { fixed($0, decimals) + (isBest(mode, in: metric) ? "*" : " ") } ?? "- "
            }
            let times = [mode.latency?.p50, mode.latency?.p95].map { $0.map { fixed($0, 2) } ?? "-" }
            rows.append([TextColumns.onOneLine(mode.mode)] + values + (timed ? times : []))
        }

        var text = ([heading] + TextColumns.aligned(rows)).joined(separator: "\n") + "\n"
        if modes.count > 1 { text += "* best\n" }
        for comparison in comparisons ?? [] {
            text += "\n" + TextColumns.onOneLine(comparison.sentence) + "\n"
            if let warning = comparison.significance.warning { text += "  " + warning + "\n" }
        }
        if let notes, !notes.isEmpty {
            text += "\n" + notes.map { "note: " + TextColumns.onOneLine($0) }.joined(separator: "\n") + "\n"
        }
        return text
    }

    /// The collection's name and size.
    var heading: String {
        let counts = [documents.map { "\($0) documents" }, queries.map { "\($0) judged queries" }].compactMap(\.self)
        return ([TextColumns.onOneLine(collection)] + counts).joined(separator: ", ")
    }
}

/// Rows of a table for a terminal.
enum TextColumns {
    /// Removes control characters, because names come from folders and files and could control the terminal.
    static func onOneLine(_ text: String) -> String {
        String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
    }

    /// The first column is left-aligned, the others right-aligned.
    static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + padding : padding + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
