/// A condition on a report, such as `hybrid.ndcg@10>=0.40`, for builds that must fail when quality falls.
package struct Gate: Sendable, Hashable, CustomStringConvertible {
    /// The comparison of a value with the threshold.
    package enum Relation: String, Sendable, Hashable, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        /// More than.
        case above = ">"
        /// Less than.
        case below = "<"

        /// Whether a value has this relation to a threshold.
        package func holds(_ value: Double, _ threshold: Double) -> Bool {
            switch self {
            case .atLeast: value >= threshold
            case .atMost: value <= threshold
            case .above: value > threshold
            case .below: value < threshold
            }
        }
    }

    /// A gate that a report fails.
    package struct Failure: Sendable, Hashable, CustomStringConvertible {
        /// The gate that failed.
        package var gate: Gate
        /// The mode that fails; nil when the report has no modes, or lacks the gate's mode.
        package var mode: String?
        /// The value that fails; nil when the report has none.
        package var value: Double?
        /// A sentence with the figures.
        package var description: String
    }

    /// The mode; nil means every mode.
    package var mode: String?
    package var metric: Metric
    /// The comparison.
    package var relation: Relation
    /// The value that the metric is compared with.
    package var threshold: Double

    package init(mode: String?, metric: Metric, relation: Relation, threshold: Double) {
        self.mode = mode
        self.metric = metric
        self.relation = relation
        self.threshold = threshold
    }

    /// Reads `MODE.METRIC>=VALUE`, or `METRIC>=VALUE` for every mode, with `>=`, `>`, `<=` or `<`.
    ///
    /// - Throws: `EvaluationError` for text of another form.
    package init(parsing text: String) throws {
        let parts = try GateText(parsing: text, form: "MODE.METRIC>=VALUE, such as hybrid.ndcg@10>=0.40")
        mode = parts.subject
        metric = try Metric(parsing: parts.figure)
        relation = parts.relation
        threshold = parts.threshold
    }

    /// The gate in the form that ``init(parsing:)`` reads.
    package var description: String {
        "\(mode.map { $0 + "." } ?? "")\(metric)\(relation.rawValue)\(threshold)"
    }

    /// Returns where a report fails; empty when it passes. A missing mode or metric fails too, because a gate on an
    /// unmeasured metric would always pass.
    package func failures(in report: EvaluationReport) -> [Failure] {
        let modes = report.modes.filter { mode == nil || $0.mode == mode }
        guard !modes.isEmpty else {
            let what = mode.map { "no mode `\($0)`" } ?? "no modes"
            return [Failure(gate: self, description: "\(self): the report has \(what)")]
        }
        return modes.compactMap { entry in
            guard let value = entry.metrics[metric] else {
                return Failure(gate: self, mode: entry.mode, description: "\(self): \(entry.mode) has no \(metric)")
            }
            guard !relation.holds(value, threshold) else { return nil }
            // Enough decimals to tell the figure from the threshold.
            return Failure(
                gate: self, mode: entry.mode, value: value,
                description: "\(self): \(entry.mode) has \(metric) \(fixed(value, 6))")
        }
    }

    /// Returns the failures of several gates.
    package static func check(_ gates: [Gate], _ report: EvaluationReport) -> [Failure] {
        gates.flatMap { $0.failures(in: report) }
    }
}
