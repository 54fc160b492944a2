extension EvaluationReport {
    /// The report as one self-contained HTML page: no script, no network. It follows the reader's choice of light or
    /// dark.
    package func html() -> String {
        var parts = [
            Markup.tag("h1", [], Markup.escaped(collection)), ReportPage.paragraph(heading), metricsTable(), svg(),
        ]
        if modes.contains(where: { $0.latency != nil }) {
            parts += [ReportPage.heading("Latency (ms)"), latencyTable()]
        }
        for (index, comparison) in (comparisons ?? []).enumerated() {
            parts.append(ReportPage.heading("\(comparison.mode) against \(comparison.against)"))
            parts.append(ReportPage.paragraph(comparison.sentence))
            if let warning = comparison.significance.warning {
                parts.append(ReportPage.paragraph(warning, class: "warning"))
            }
            // Further comparisons show their figures only: one chart is enough to see a pattern.
            if index == 0 { parts.append(DifferenceChart(comparison: comparison).svg()) }
            parts.append(gainsAndLosses(comparison))
        }
        if let notes, !notes.isEmpty {
            parts.append(ReportPage.heading("Notes"))
            parts.append(Markup.tag("ul", [], notes.map { Markup.tag("li", [], Markup.escaped($0)) }.joined()))
        }
        parts.append(
            ReportPage.paragraph(
                "Bars show means over the judged queries, with 95 % bootstrap confidence intervals. Bold marks the "
                    + "best mode of each metric.", class: "small"))
        return ReportPage.page("Evaluation: " + collection, parts)
    }

    private func metricsTable() -> String {
        let metrics = metrics
        let rows = modes.map { mode in
            [ReportPage.Cell(mode.mode)]
                + metrics.map { metric in
                    let interval = mode.intervals?[metric].map { "\(fixed($0.low, 3)) to \(fixed($0.high, 3))" }
                    return ReportPage.Cell(
                        mode.metrics[metric].map { fixed($0, 4) } ?? "–", detail: interval,
                        isBold: isBest(mode, in: metric), isNumber: true)
                }
        }
        return ReportPage.table(["mode"] + metrics.map(\.description), rows)
    }

    private func latencyTable() -> String {
        let rows = modes.map { mode in
            let times = mode.latency.map { [$0.p50, $0.p90, $0.p95, $0.p99, $0.mean, $0.max] }
            return [ReportPage.Cell(mode.mode)]
                + (0..<6).map { index in ReportPage.Cell(times.map { fixed($0[index], 2) } ?? "–", isNumber: true) }
        }
        return ReportPage.table(["mode", "p50", "p90", "p95", "p99", "mean", "max"], rows)
    }

    private func gainsAndLosses(_ comparison: Comparison) -> String {
        let list = [
            ("Largest gains", comparison.perQuery.largestGains), ("Largest losses", comparison.perQuery.largestLosses),
        ]
        return list.filter { !$0.1.isEmpty }.map { title, entries in
            let rows = entries.map { row in
                [ReportPage.Cell(row.query), ReportPage.Cell(row.text)]
                    + [fixed(row.a, 4), fixed(row.b, 4), signed(row.difference, 4)].map {
                        ReportPage.Cell($0, isNumber: true)
                    }
            }
            return Markup.tag("h3", [], Markup.escaped(title))
                + ReportPage.table(
                    ["query", "text", comparison.mode, comparison.against, "difference"], rows, textColumns: 2)
        }
        .joined(separator: "\n")
    }
}
