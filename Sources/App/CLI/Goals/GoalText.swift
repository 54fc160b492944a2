import Foundation
import GatewayAPI

/// Goals, actions and changes as lines of text for people.
enum GoalText {
    /// A mark and the words of a status.
    static func status(_ status: String) -> String {
        switch status {
        case "complete": "✓ reached"
        case "overachieved": "✓ more than reached"
        case "overdue": "! time is over"
        case "behind": "▾ behind"
        case "on_track": "● on track"
        case "not_started": "○ not begun"
        default: "· \(status)"
        }
    }

    /// Says that figures may be too low, if rows still wait to be matched.
    static func note(_ matching: MatchingState?) {
        guard let matching else { return }
        let rows = matching.waiting == 1 ? "1 row is" : "\(matching.waiting) rows are"
        Terminal.note("\(rows) still being matched with goals: figures may be too low, and actions may be missing")
    }

    /// How far a goal is: `12.5 of 50 km`.
    static func figure(_ goal: GoalRecord, _ progress: GoalProgress) -> String {
        let done = GoalGraphics.number(progress.achieved)
        let wanted = amount(progress.needed, progress.unit)
        switch goal.rule.kind {
        case "count": return "\(done) of \(wanted) times"
        case "average": return "\(done) of \(wanted) on average"
        case "each": return "\(done) of \(wanted) \(goal.rule.window == "week" ? "weeks" : "days") kept"
        case "streak": return "longest run \(done) of \(wanted) days"
        default: return "\(done) of \(wanted)"
        }
    }

    /// The share of time that is over, for rules that are judged by it.
    static func expected(_ goal: GoalRecord, _ progress: GoalProgress) -> Double? {
        ["average", "streak"].contains(goal.rule.kind) || goal.targetDate == nil ? nil : progress.elapsed
    }

    /// How far the last day is.
    static func daysLeft(_ goal: GoalRecord, _ progress: GoalProgress) -> String? {
        guard let end = goal.targetDate, let last = dayNumber(end), let today = dayNumber(progress.day) else {
            return nil
        }
        let days = last - today
        let unit = abs(days) == 1 ? "day" : "days"
        return days < 0 ? "ended \(-days) \(unit) ago" : "\(days) \(unit) left"
    }

    /// What the projection says. Without a last day there is no end to project to.
    static func projection(_ goal: GoalRecord, _ progress: GoalProgress) -> [String] {
        guard let ahead = progress.projection, progress.fraction < 1 else { return [] }
        var text = "at this pace it ends at \(amount(ahead.estimate, progress.unit))"
        if let lower = ahead.lower, let upper = ahead.upper {
            text += ", in 8 of 10 cases between \(GoalGraphics.number(lower)) and \(amount(upper, progress.unit))"
        }
        return (goal.targetDate == nil ? [] : [text])
            + (ahead.reachedOn.map { ["the target is reached on \($0)"] } ?? [])
    }

    /// The last days as a sparkline, a gap for each day without an entry; nil before the first entry.
    static func sparkline(_ progress: GoalProgress, columns: Int = 60) -> String? {
        guard let days = progress.days, let first = days.first.flatMap({ dayNumber($0.day) }),
            let last = dayNumber(progress.day), last >= first, last - first < 40_000
        else { return nil }
        var values = [Double?](repeating: nil, count: last - first + 1)
        for one in days {
            guard let number = dayNumber(one.day), values.indices.contains(number - first) else { continue }
            values[number - first] = progress.unit == nil && one.total == 0 ? Double(one.count) : one.total
        }
        return GoalGraphics.sparkline(GoalGraphics.condensed(values, columns: columns))
    }

    /// How the latest windows came out, one sign each.
    static func windows(_ windows: [GoalWindow], latest: Int = 60) -> String {
        windows.suffix(latest).map { one in
            switch one.result {
            case "kept": "✓"
            case "failed": "✗"
            case "missing": "○"
            case "skipped": "–"
            default: "·"
            }
        }.joined()
    }

    /// What was measured: `5 km, 28 min`.
    static func measured(_ action: ActionRecord) -> String {
        var parts = action.amounts.map { amount($0.amount, $0.unit) }
        if let minutes = action.durationMinutes { parts.append(amount(minutes, "min")) }
        return parts.joined(separator: ", ")
    }

    /// What an action counts for: `Run 300 km +5 km`.
    static func counted(_ action: ActionRecord) -> String {
        (action.contributions ?? []).map { "\($0.title ?? $0.goal) +\(amount($0.amount, $0.unit))" }
            .joined(separator: ", ")
    }

    static func amount(_ value: Double, _ unit: String?) -> String {
        let number = GoalGraphics.number(value)
        guard let unit, !unit.isEmpty else { return number }
        return "\(number) \(unit)"
    }

    /// A stored value as one line; `NULL` and an absent value differ.
    static func value(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        if value == .null { return "NULL" }
        if case .string(let text) = value { return clipped(text) }
        return clipped((try? JSONOutput.text(value)) ?? "?")
    }

    /// Days since 1970-01-01 of a date such as `2026-11-22`; nil for other text and dates that do not exist.
    static func dayNumber(_ text: String) -> Int? {
        let days = Date.ISO8601FormatStyle.iso8601.year().month().day()
        // Foundation reads 31 February as 3 March.
        guard let date = try? Date(text, strategy: days), date.formatted(days) == text else { return nil }
        return Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
    }

    /// The day some days later, or earlier; nil for text that is no date.
    static func day(_ text: String, adding days: Int) -> String? {
        guard let date = try? Date(text, strategy: .iso8601.year().month().day()) else { return nil }
        return (date + Double(days) * 86_400).formatted(.iso8601.year().month().day())
    }

    private static func clipped(_ text: String, to length: Int = 80) -> String {
        text.count > length ? text.prefix(length) + "…" : text
    }
}
