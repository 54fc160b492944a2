/// Compares two systems query by query.
package struct PerQueryTable: Codable, Sendable, Hashable {
    /// The values of both systems for a query.
    package struct Row: Codable, Sendable, Hashable {
        /// The query's id.
        package var query: String
        /// The query's text; empty when unknown.
        package var text: String
        /// The value of A.
        package var a: Double
        /// The value of B.
        package var b: Double
        /// A − B.
        package var difference: Double { a - b }
    }

    /// Queries for which A is better.
    package var wins: Int
    /// Queries for which B is better.
    package var losses: Int
    /// Queries for which both have the same value.
    package var ties: Int
    /// The queries where A gains most over B, the largest gain first.
    package var largestGains: [Row]
    /// The queries where A loses most against B, the largest loss first.
    package var largestLosses: [Row]
    /// A − B of every query, the largest first.
    package var differences: [Double]

    private enum CodingKeys: String, CodingKey {
        case wins, losses, ties, differences
        case largestGains = "largest_gains"
        case largestLosses = "largest_losses"
    }

    /// Compares the values of A and B by query id. Queries that only A or only B has are left out.
    ///
    /// - Parameters:
    ///   - texts: The queries' words by id.
    ///   - largest: The number of gains and of losses to list.
    package init(_ a: [String: Double], _ b: [String: Double], texts: [String: String] = [:], largest: Int = 5) {
        let rows = a.compactMap { query, value in
            b[query].map { Row(query: query, text: texts[query] ?? "", a: value, b: $0) }
        }
        .sorted {
            $0.difference != $1.difference
                ? $0.difference > $1.difference : $0.query.utf8.lexicographicallyPrecedes($1.query.utf8)
        }
        // Smaller differences come from rounding sums, not from the rankings.
        let tie = 1e-9
        let better = rows.filter { $0.difference > tie }
        let worse = rows.filter { $0.difference < -tie }
        wins = better.count
        losses = worse.count
        ties = rows.count - wins - losses
        largestGains = Array(better.prefix(max(0, largest)))
        largestLosses = Array(worse.reversed().prefix(max(0, largest)))
        differences = rows.map(\.difference)
    }
}
