/// Columns of text for people: as wide as their longest cell, the last one as it is.
struct TextTable {
    private var rows: [[String]] = []
    /// Columns whose cells end at the same place.
    private let right: Set<Int>

    /// Creates a table; `right` are the numbers of the columns with figures, from 0.
    init(right: Set<Int> = []) { self.right = right }

    /// Adds a row. Cells are cleaned of line breaks and of what controls a terminal.
    mutating func add(_ cells: String...) { rows.append(cells.map { SafeText(oneLine: $0).raw }) }

    /// The lines, without blanks at their ends.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                if right.contains(column) {
                    return String(repeating: " ", count: max(0, widths[column] - cell.count)) + cell
                }
                return column == row.count - 1 ? cell : cell.padded(to: widths[column])
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// Writes the lines to standard output.
    func write() { for line in lines { Terminal.line(line) } }
}
