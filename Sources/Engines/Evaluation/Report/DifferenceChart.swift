/// Draws A − B for every query, the largest gain first.
struct DifferenceChart {
    private static let (width, height, top, bottom, left, right) = (880.0, 280.0, 44.0, 30.0, 52.0, 12.0)

    var comparison: EvaluationReport.Comparison

    func svg() -> String {
        let table = comparison.perQuery
        let values = table.differences.sorted(by: >)
        let reach = max(values.map { abs($0) }.filter(\.isFinite).max() ?? 0, 0.1)
        let middle = (Self.top + Self.height - Self.bottom) / 2
        let half = (Self.height - Self.top - Self.bottom) / 2
        func y(_ value: Double) -> Double { middle - value / reach * half }

        let title = "\(comparison.metric) by query: \(comparison.mode) − \(comparison.against)"
        var parts = [Markup.label(title, x: Self.left, y: 24, anchor: "start", class: "c-head")]
        for tick in [-reach, -reach / 2, 0, reach / 2, reach] {
            parts.append(Markup.line(Self.left, y(tick), Self.width - Self.right, y(tick), class: "c-grid"))
            let text = tick == 0 ? "0" : signed(tick, 2)
            parts.append(Markup.label(text, x: Self.left - 8, y: y(tick) + 4, anchor: "end"))
        }
        let step = (Self.width - Self.left - Self.right) / Double(max(1, values.count))
        for (index, value) in values.enumerated() {
            let x = Self.left + step * Double(index)
            parts.append(
                Markup.bar(
                    x: x, y: min(y(value), middle), width: step > 3 ? step - 1 : step,
                    height: abs(y(value) - middle), class: value < 0 ? "c-loss" : "c-gain", title: signed(value, 4)))
        }
        parts.append(Markup.line(Self.left, middle, Self.width - Self.right, middle, class: "c-axis"))
        let base = Self.height - 8
        parts.append(Markup.label("\(table.wins) better", x: Self.left, y: base, anchor: "start"))
        parts.append(Markup.label("\(table.ties) equal", x: (Self.left + Self.width - Self.right) / 2, y: base))
        parts.append(Markup.label("\(table.losses) worse", x: Self.width - Self.right, y: base, anchor: "end"))
        return Markup.drawing(
            width: Int(Self.width), height: Int(Self.height), title: title, parts.joined(separator: "\n"))
    }
}
