/// Small pictures of figures in one line of text. Pure, for tests.
enum GoalGraphics {
    /// A bar of a share, with a mark where the share should be by now.
    ///
    /// - Parameters:
    ///   - fraction: 1 fills the bar; more fills it, too. Values that are no number count as 0.
    ///   - expected: Where `│` is drawn, 0 to 1; nil draws none.
    ///   - width: Columns, at least 1.
    static func bar(_ fraction: Double, expected: Double? = nil, width: Int = 20) -> String {
        let width = max(1, width)
        let filled = place(fraction, width)
        var cells = (0..<width).map { $0 < filled ? "█" : "░" }
        if let expected, expected.isFinite, (0..<1).contains(expected), expected > 0 {
            cells[min(width - 1, place(expected, width))] = "│"
        }
        return cells.joined()
    }

    /// A column for each value, from the lowest block for 0 to the highest one for the largest value. Nil is a gap: a day
    /// without an entry is not zero.
    static func sparkline(_ values: [Double?]) -> String {
        let blocks = Array("▁▂▃▄▅▆▇█")
        let most = values.compactMap(\.self).filter(\.isFinite).max() ?? 0
        return String(
            values.map { value in
                guard let value, value.isFinite else { return " " }
                guard most > 0, value > 0 else { return blocks[0] }
                return blocks[min(blocks.count - 1, Int((value / most * Double(blocks.count - 1)).rounded()))]
            })
    }

    /// Sums of equal stretches, so that a long series fits into `columns`; nil for a stretch without any value.
    static func condensed(_ values: [Double?], columns: Int) -> [Double?] {
        let columns = max(1, columns)
        guard values.count > columns else { return values }
        let step = (values.count + columns - 1) / columns
        return stride(from: 0, to: values.count, by: step).map { start in
            let part = values[start..<min(values.count, start + step)].compactMap(\.self)
            return part.isEmpty ? nil : part.reduce(0, +)
        }
    }

    /// A number with two decimals at most, and none that are zero: `5`, `5.3`, `0.25`.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        let hundredths = (value * 100).rounded()
        let whole = (hundredths / 100).rounded(.towardZero)
        let rest = Int(abs(hundredths - whole * 100).rounded())
        let sign = hundredths < 0 && whole == 0 ? "-" : ""
        let text = "\(sign)\(Int(whole))"
        guard rest > 0 else { return text }
        return text + (rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)")
    }

    /// A share in percent, rounded down, so that only what is complete shows 100 %.
    static func percent(_ fraction: Double) -> String {
        guard fraction.isFinite, abs(fraction) < 1e6 else { return "–" }
        return "\(Int((fraction * 100 + 1e-9).rounded(.down)))%"
    }

    private static func place(_ fraction: Double, _ width: Int) -> Int {
        guard fraction.isFinite, fraction > 0 else { return 0 }
        return min(width, Int((fraction * Double(width) + 1e-9).rounded(.down)))
    }
}
