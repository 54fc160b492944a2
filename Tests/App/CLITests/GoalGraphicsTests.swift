import Testing

@testable import CLI

/// Bars, sparklines, figures and tables of `selene goals`.
@Suite struct GoalGraphicsTests {
    @Test func `a bar fills with the share and marks what is expected`() {
        #expect(GoalGraphics.bar(0, width: 4) == "░░░░")
        #expect(GoalGraphics.bar(0.5, width: 4) == "██░░")
        #expect(GoalGraphics.bar(0.5, expected: 0.75, width: 4) == "██░│")
        #expect(GoalGraphics.bar(0.75, expected: 0.25, width: 4) == "█│█░")
        #expect(GoalGraphics.bar(1, width: 4) == "████" && GoalGraphics.bar(7, width: 4) == "████")
        #expect(GoalGraphics.bar(0.999, width: 10) == "█████████░", "what is not complete never looks complete")
        for odd in [Double.nan, -Double.infinity, -3] { #expect(GoalGraphics.bar(odd, width: 3) == "░░░") }
        #expect(GoalGraphics.bar(.infinity, expected: .nan, width: 3) == "░░░")
        for expected in [0.0, 1, 2, -1] { #expect(!GoalGraphics.bar(0.5, expected: expected).contains("│")) }
        #expect(GoalGraphics.bar(0.1, width: 0).count == 1)
    }

    @Test func `a sparkline keeps gaps and zeros apart`() {
        #expect(GoalGraphics.sparkline([0, 1, 2, 4, 8]) == "▁▂▃▅█")
        #expect(GoalGraphics.sparkline([1, nil, 0]) == "█ ▁")
        #expect(GoalGraphics.sparkline([]) == "" && GoalGraphics.sparkline([nil, .nan]) == "  ")
        #expect(GoalGraphics.sparkline([0, 0]) == "▁▁")
        #expect(GoalGraphics.condensed([1, 2, nil, nil, 5], columns: 3) == [3, nil, 5])
        #expect(GoalGraphics.condensed([1, nil], columns: 2) == [1, nil])
        #expect(GoalGraphics.condensed(Array(repeating: 1, count: 3650), columns: 60).count <= 60)
    }

    @Test func `figures have the decimals that they need`() {
        let cases: [(Double, String)] = [
            (5, "5"), (5.3, "5.3"), (0.25, "0.25"), (1.005, "1"), (2.999, "3"), (0.05, "0.05"), (-0.5, "-0.5"),
            (-2.25, "-2.25"), (0, "0"), (1234.5, "1234.5"), (0.001, "0"), (.infinity, "inf"),
        ]
        for (value, text) in cases { #expect(GoalGraphics.number(value) == text) }
        #expect(GoalGraphics.percent(0.999) == "99%" && GoalGraphics.percent(1) == "100%")
        #expect(GoalGraphics.percent(0.29) == "29%" && GoalGraphics.percent(1.2) == "120%")
        #expect(GoalGraphics.percent(.nan) == "–")
    }

    @Test func `columns are as wide as their cells`() {
        var table = TextTable(right: [1])
        table.add("km", "5", "Run")
        table.add("pages", "120", "")
        table.add("x", "1", "two\nlines\u{1B}[31m")
        #expect(table.lines == ["km       5  Run", "pages  120", "x        1  two lines[31m"])
        #expect(TextTable().lines.isEmpty)
    }
}
