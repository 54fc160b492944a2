extension EvaluationReport {
    /// The main chart as an SVG file: a group of bars for each metric, a bar for each mode, with 95 % confidence
    /// intervals where the report has them. Readable on light and dark backgrounds.
    package func svg() -> String {
        BarChart(report: self).svg()
    }
}

/// Grouped bars of the modes' metrics.
struct BarChart {
    private static let (width, top, bottom, left, right) = (880.0, 64.0, 34.0, 44.0, 12.0)
    private static let plotHeight = 260.0

    var report: EvaluationReport

    func svg() -> String {
        let metrics = report.metrics
        let title = report.heading
        let legend = legend()
        let base = Self.top + legend.height + Self.plotHeight
        let scale = Scale(report)
        func y(_ value: Double) -> Double { base - min(max(value, 0), scale.top) / scale.top * Self.plotHeight }

        var parts = [Markup.label(title, x: Self.left, y: 24, anchor: "start", class: "c-head"), legend.markup]
        for tick in scale.ticks {
            parts.append(Markup.line(Self.left, y(tick), Self.width - Self.right, y(tick), class: "c-grid"))
            parts.append(Markup.label(fixed(tick, 1), x: Self.left - 8, y: y(tick) + 4, anchor: "end"))
        }
        let group = (Self.width - Self.left - Self.right) / Double(max(1, metrics.count))
        let bar = min(60, group * 0.84 / Double(max(1, report.modes.count)))
        for (index, metric) in metrics.enumerated() {
            let centre = Self.left + group * (Double(index) + 0.5)
            let start = centre - bar * Double(report.modes.count) / 2
            parts.append(Markup.label(metric.description, x: centre, y: base + 20))
            for (place, mode) in report.modes.enumerated() {
                guard let value = mode.metrics[metric] else { continue }
                parts += self.bar(
                    mode, metric, value, x: start + bar * Double(place), width: bar, base: base, y: y,
                    style: "c-\(place % Markup.colourCount)")
            }
        }
        parts.append(Markup.line(Self.left, base, Self.width - Self.right, base, class: "c-axis"))
        return Markup.drawing(
            width: Int(Self.width), height: Int(base + Self.bottom), title: "Metrics by mode: " + title,
            parts.joined(separator: "\n"))
    }

    private func bar(
        _ mode: EvaluationReport.Mode, _ metric: Metric, _ value: Double, x: Double, width: Double, base: Double,
        y: (Double) -> Double, style: String
    ) -> [String] {
        let interval = mode.intervals?[metric]
        let range = interval.map { " (95 % CI \(fixed($0.low, 4)) to \(fixed($0.high, 4)))" } ?? ""
        var parts = [
            Markup.bar(
                x: x + width * 0.06, y: y(value), width: width * 0.88, height: base - y(value), class: style,
                title: "\(mode.mode), \(metric): \(fixed(value, 4))\(range)")
        ]
        let centre = x + width / 2
        if let interval {
            let cap = min(5, width * 0.2)
            parts.append(Markup.line(centre, y(interval.low), centre, y(interval.high), class: "c-error"))
            for end in [interval.low, interval.high] {
                parts.append(Markup.line(centre - cap, y(end), centre + cap, y(end), class: "c-error"))
            }
        }
        // A narrower bar has no room for its value.
        if width >= 25 {
            let top = y(max(value, interval?.high ?? value))
            parts.append(Markup.label(fixed(value, 3), x: centre, y: top - 5, class: "c-small"))
        }
        return parts
    }

    /// The names of the modes with their colours, wrapped into rows.
    private func legend() -> (markup: String, height: Double) {
        var (x, y) = (Self.left, 46.0)
        var parts: [String] = []
        for (place, mode) in report.modes.enumerated() {
            let name = mode.mode.count > 40 ? mode.mode.prefix(39) + "…" : mode.mode
            // There are no fonts to measure with: 7.5 is the width of a wide letter.
            let width = 22 + Double(name.count) * 7.5 + 14
            if x + width > Self.width, x > Self.left { (x, y) = (Self.left, y + 18) }
            parts.append(
                Markup.bar(
                    x: x, y: y - 10, width: 12, height: 12, class: "c-\(place % Markup.colourCount)",
                    title: mode.mode))
            parts.append(Markup.label(name, x: x + 18, y: y, anchor: "start"))
            x += width
        }
        return (parts.joined(separator: "\n"), y - 46)
    }
}

/// The axis of values, from 0.
private struct Scale {
    var top: Double
    var ticks: [Double]

    init(_ report: EvaluationReport) {
        let values = report.modes.flatMap { mode in
            Array(mode.metrics.values) + (mode.intervals?.values.map(\.high) ?? [])
        }
        let highest = min(max(values.filter(\.isFinite).max() ?? 0, 0), 1)
        let least = min(10, max(2, Int((highest * 10).rounded(.up))))
        // Above 0.5 every second tenth has a line, and the last line must be at the top.
        let tenths = least > 5 ? least + least % 2 : least
        top = Double(tenths) / 10
        ticks = stride(from: 0, through: tenths, by: tenths > 5 ? 2 : 1).map { Double($0) / 10 }
    }
}
