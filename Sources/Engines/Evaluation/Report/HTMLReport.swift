extension EvaluationReport {
    /// The report as one self-contained HTML page: no script, no network. It follows the reader's choice of light or
    /// dark.
    public func html() -> String {
        var parts = [Markup.tag("h1", [], Markup.escaped(collection)), paragraph(heading), metricsTable(), svg()]
        if modes.contains(where: { $0.latency != nil }) { parts += [heading2("Latency (ms)"), latencyTable()] }
        for (index, comparison) in (comparisons ?? []).enumerated() {
            parts.append(heading2("\(comparison.mode) against \(comparison.against)"))
            parts.append(paragraph(comparison.sentence))
            if let warning = comparison.significance.warning { parts.append(paragraph(warning, class: "warning")) }
            // Further comparisons show their figures only: one chart is enough to see a pattern.
            if index == 0 { parts.append(DifferenceChart(comparison: comparison).svg()) }
            parts.append(gainsAndLosses(comparison))
        }
        if let notes, !notes.isEmpty {
            parts.append(heading2("Notes"))
            parts.append(Markup.tag("ul", [], notes.map { Markup.tag("li", [], Markup.escaped($0)) }.joined()))
        }
        parts.append(
            paragraph(
                "Bars show means over the judged queries, with 95 % bootstrap confidence intervals. Bold marks the "
                    + "best mode of each metric.", class: "small"))
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Markup.escaped("Evaluation: " + collection))</title>
            <style>\(Self.pageStyle)</style>
            </head>
            <body>
            \(parts.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private func metricsTable() -> String {
        let metrics = metrics
        let rows = modes.map { mode in
            [Cell(mode.mode)]
                + metrics.map { metric in
                    let interval = mode.intervals?[metric].map { "\(fixed($0.low, 3)) to \(fixed($0.high, 3))" }
                    return Cell(
                        mode.metrics[metric].map { fixed($0, 4) } ?? "–", detail: interval,
                        isBold: isBest(mode, in: metric), isNumber: true)
                }
        }
        return table(["mode"] + metrics.map(\.description), rows)
    }

    private func latencyTable() -> String {
        let rows = modes.map { mode in
            let times = mode.latency.map { [$0.p50, $0.p90, $0.p95, $0.p99, $0.mean, $0.max] }
            return [Cell(mode.mode)]
                + (0..<6).map { index in Cell(times.map { fixed($0[index], 2) } ?? "–", isNumber: true) }
        }
        return table(["mode", "p50", "p90", "p95", "p99", "mean", "max"], rows)
    }

    private func gainsAndLosses(_ comparison: Comparison) -> String {
        let list = [
            ("Largest gains", comparison.perQuery.largestGains), ("Largest losses", comparison.perQuery.largestLosses),
        ]
        return list.filter { !$0.1.isEmpty }.map { title, entries in
            let rows = entries.map { row in
                [Cell(row.query), Cell(row.text)]
                    + [fixed(row.a, 4), fixed(row.b, 4), signed(row.difference, 4)].map { Cell($0, isNumber: true) }
            }
            return Markup.tag("h3", [], Markup.escaped(title))
                + table(["query", "text", comparison.mode, comparison.against, "difference"], rows, textColumns: 2)
        }
        .joined(separator: "\n")
    }

    private struct Cell {
        var text: String
        var detail: String?
        var isBold = false
        var isNumber = false

        init(_ text: String, detail: String? = nil, isBold: Bool = false, isNumber: Bool = false) {
            self.text = text
            self.detail = detail
            self.isBold = isBold
            self.isNumber = isNumber
        }

        var markup: String {
            let text = isBold ? Markup.tag("b", [], Markup.escaped(text)) : Markup.escaped(text)
            let detail = detail.map { Markup.tag("span", [("class", "small")], Markup.escaped($0)) } ?? ""
            return Markup.tag("td", isNumber ? [("class", "number")] : [], text + detail)
        }
    }

    private func table(_ heads: [String], _ rows: [[Cell]], textColumns: Int = 1) -> String {
        let head = heads.enumerated().map { index, text in
            Markup.tag("th", index < textColumns ? [] : [("class", "number")], Markup.escaped(text))
        }
        let body = rows.map { Markup.tag("tr", [], $0.map(\.markup).joined()) }
        return Markup.tag(
            "div", [("class", "scroll")],
            Markup.tag(
                "table", [],
                Markup.tag("thead", [], Markup.tag("tr", [], head.joined()))
                    + Markup.tag("tbody", [], body.joined(separator: "\n"))))
    }

    private func heading2(_ text: String) -> String { Markup.tag("h2", [], Markup.escaped(text)) }

    private func paragraph(_ text: String, class style: String = "") -> String {
        Markup.tag("p", style.isEmpty ? [] : [("class", style)], Markup.escaped(text))
    }

    private static let pageStyle = """
        :root{color-scheme:light dark;--back:#fff;--text:#222;--faint:#666;--line:#ddd;--warn:#8a5a00}
        @media(prefers-color-scheme:dark){:root{--back:#16181c;--text:#ddd;--faint:#9aa0a8;--line:#33373d;--warn:#f0c36d}}
        body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;\
        background:var(--back);color:var(--text)}
        svg{max-width:100%;height:auto;display:block;margin:1rem 0}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:.9rem}
        th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
        .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
        .small{font-size:.8rem;color:var(--faint)}
        td .small{display:block}
        .warning{color:var(--warn)}
        """
}
