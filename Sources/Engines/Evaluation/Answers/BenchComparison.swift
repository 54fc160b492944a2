package import Foundation

/// The figures of two benchmarks side by side, by model.
package struct BenchComparison: Codable, Sendable, Hashable {
    /// One figure of one model.
    package struct Row: Codable, Sendable, Hashable {
        package var model: String
        /// The figure, such as `first token ms`.
        package var figure: String
        /// The value of the first benchmark; nil when it has none.
        package var first: Double?
        /// The value of the second benchmark; nil when it has none.
        package var second: Double?
        /// Whether the difference is at most the sum of both standard deviations; nil for figures without a spread.
        package var isWithinSpread: Bool?

        private enum CodingKeys: String, CodingKey {
            case model, figure, first, second
            case isWithinSpread = "within_spread"
        }
    }

    /// The name of the first benchmark.
    package var first: String
    /// The name of the second benchmark.
    package var second: String
    /// The rows, by model.
    package var rows: [Row]

    /// Compares two reports.
    package init(_ first: BenchReport, _ second: BenchReport) {
        self.first = first.name
        self.second = second.name
        var names = first.models.map(\.model)
        for model in second.models.map(\.model) where !names.contains(model) { names.append(model) }
        rows = names.flatMap { name in
            let left = first.models.first { $0.model == name }
            let right = second.models.first { $0.model == name }
            return Self.spreads.map { title, path in
                Self.row(name, title, left.flatMap { $0[keyPath: path] }, right.flatMap { $0[keyPath: path] })
            }
                + Self.shares.map { title, path in
                    Row(
                        model: name, figure: title, first: left.flatMap { $0[keyPath: path] },
                        second: right.flatMap { $0[keyPath: path] })
                }
        }.filter { $0.first != nil || $0.second != nil }
    }

    private static var spreads: [(String, KeyPath<AnswerSummary, Spread?>)] {
        [("first token ms", \.firstToken), ("tokens/s", \.tokensPerSecond), ("tokens", \.tokens)]
    }

    private static var shares: [(String, KeyPath<AnswerSummary, Double?>)] {
        [
            ("calls tools", \.callsTools), ("valid calls", \.validCalls), ("cites", \.cites),
            ("supported", \.supported),
            ("invents", \.invents),
        ]
    }

    private static func row(_ model: String, _ figure: String, _ first: Spread?, _ second: Spread?) -> Row {
        var row = Row(model: model, figure: figure, first: first?.mean, second: second?.mean)
        if let first, let second {
            row.isWithinSpread = abs(first.mean - second.mean) <= first.deviation + second.deviation
        }
        return row
    }

    /// The comparison as JSON with sorted keys.
    ///
    /// - Throws: `EvaluationError` when a figure is not finite.
    package func json() throws -> Data { try ReportJSON.data(self) }

    /// The comparison for a terminal.
    package func text() -> String {
        let table = rows.map { row in
            [
                TextColumns.onOneLine(row.model) + "  " + row.figure, Self.value(row.first, row),
                Self.value(row.second, row),
                Self.change(row),
            ]
        }
        return "A: \(TextColumns.onOneLine(first))\nB: \(TextColumns.onOneLine(second))\n"
            + TextColumns.aligned([["model  figure", "A", "B", "change"]] + table).joined(separator: "\n") + "\n"
    }

    private static func value(_ value: Double?, _ row: Row) -> String {
        guard let value else { return "–" }
        return isShare(row) ? percent(value) : fixed(value, 1)
    }

    private static func change(_ row: Row) -> String {
        guard let first = row.first, let second = row.second else { return "–" }
        if isShare(row) { return signed((second - first) * 100, 0) + " points" }
        let change = first == 0 ? "–" : signed((second - first) / first * 100, 0) + " %"
        return row.isWithinSpread == true ? change + " (within the spread)" : change
    }

    private static func isShare(_ row: Row) -> Bool { shares.contains { $0.0 == row.figure } }
}

/// JSON of reports: sorted keys, so that two reports can be compared line by line.
enum ReportJSON {
    static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(value)
        } catch {
            throw EvaluationError("the report has a number that JSON cannot represent: \(error)")
        }
    }
}
