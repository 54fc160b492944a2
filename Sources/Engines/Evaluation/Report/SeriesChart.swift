/// Grouped bars of several series, with lines for their spread.
struct SeriesChart {
    /// The value of a bar, with the ends of its line.
    struct Point {
        var value: Double
        var low: Double?
        var high: Double?
    }

    private static let (width, bottom, left, right) = (880.0, 34.0, 56.0, 12.0)
    private static let plotHeight = 220.0
    /// The height of a legend's row.
    private static let legendRow = 18.0

    var title: String
    var groups: [String]
    var series: [String]
    /// By group, then by series.
    var points: [[Point?]]
    var decimals: Int
    /// The top of the axis; nil for the next round number above the values.
    var top: Double?

    func svg() -> String {
        let legend = legend()
        let base = 46 + Double(legend.rows) * Self.legendRow + 30 + Self.plotHeight
        let (top, step) = scale
        func y(_ value: Double) -> Double { base - min(max(value, 0), top) / top * Self.plotHeight }
        var parts = [Markup.label(title, x: Self.left, y: 24, anchor: "start", class: "c-head"), legend.markup]
        for tick in stride(from: 0, through: top * 1.0001, by: step) {
            parts.append(Markup.line(Self.left, y(tick), Self.width - Self.right, y(tick), class: "c-grid"))
            parts.append(
                Markup.label(
                    fixed(tick, step < 1 ? (step < 0.1 ? 2 : 1) : 0), x: Self.left - 8, y: y(tick) + 4, anchor: "end"))
        }
        let group = (Self.width - Self.left - Self.right) / Double(max(1, groups.count))
        let width = min(56, group * 0.86 / Double(max(1, series.count)))
        for (index, name) in groups.enumerated() {
            let centre = Self.left + group * (Double(index) + 0.5)
            let start = centre - width * Double(series.count) / 2
            let room = max(3, Int(group / 7))
            parts.append(Markup.label(Self.cut(name, room), x: centre, y: base + 20))
            for place in series.indices {
                guard points.indices.contains(index), points[index].indices.contains(place),
                    let point = points[index][place], point.value.isFinite
                else { continue }
                parts += bar(point, at: start + width * Double(place), width, place, name, base: base, y: y)
            }
        }
        parts.append(Markup.line(Self.left, base, Self.width - Self.right, base, class: "c-axis"))
        return Markup.drawing(
            width: Int(Self.width), height: Int(base + Self.bottom), title: title, parts.joined(separator: "\n"))
    }

    private func bar(
        _ point: Point, at x: Double, _ width: Double, _ place: Int, _ group: String, base: Double,
        y: (Double) -> Double
    ) -> [String] {
        let value = fixed(point.value, decimals)
        var range = ""
        if let low = point.low, let high = point.high, low < high {
            range = " (\(fixed(low, decimals)) to \(fixed(high, decimals)))"
        }
        var parts = [
            Markup.bar(
                x: x + width * 0.06, y: y(point.value), width: width * 0.88, height: base - y(point.value),
                class: "c-\(place % Markup.colourCount)", title: "\(series[place]), \(group): \(value)\(range)")
        ]
        let centre = x + width / 2
        var label = y(point.value)
        if let low = point.low, let high = point.high, low < high {
            let cap = min(5, width * 0.2)
            label = y(high)
            parts.append(Markup.line(centre, y(low), centre, y(high), class: "c-error"))
            for end in [low, high] {
                parts.append(Markup.line(centre - cap, y(end), centre + cap, y(end), class: "c-error"))
            }
        }
        // A narrower bar has no room for its value.
        if width >= 30 { parts.append(Markup.label(value, x: centre, y: label - 5, class: "c-small")) }
        return parts
    }

    /// The names of the series with their colours, wrapped into rows.
    private func legend() -> (markup: String, rows: Int) {
        var (x, row) = (Self.left, 0)
        var parts: [String] = []
        for (place, name) in series.enumerated() {
            let text = Self.cut(name, 40)
            // There are no fonts to measure with: 7.5 is the width of a wide letter.
            let width = 22 + Double(text.count) * 7.5 + 14
            if x + width > Self.width, x > Self.left { (x, row) = (Self.left, row + 1) }
            let y = 46 + Double(row) * Self.legendRow
            parts.append(
                Markup.bar(
                    x: x, y: y - 10, width: 12, height: 12, class: "c-\(place % Markup.colourCount)", title: name))
            parts.append(Markup.label(text, x: x + 18, y: y, anchor: "start"))
            x += width
        }
        return (parts.joined(separator: "\n"), row)
    }

    /// The top of the axis and the distance of its lines: 1, 2 or 5 times a power of ten, four to ten lines.
    private var scale: (top: Double, step: Double) {
        let values = points.joined().compactMap { $0 }.flatMap { [$0.value, $0.high ?? $0.value] }.filter(\.isFinite)
        let highest = top ?? max(values.max() ?? 0, 0)
        guard highest > 0 else { return (1, 0.25) }
        var power = 1e-6
        while power * 10 <= highest, power < 1e12 { power *= 10 }
        let step = [0.1, 0.2, 0.5, 1].map { $0 * power }.first { highest / $0 <= 8 } ?? power
        return (top ?? (highest / step).rounded(.up) * step, step)
    }

    private static func cut(_ text: String, _ count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }
}
