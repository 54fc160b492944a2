package import Schedules

/// Hours in which a device stays silent, by the clock on its wall.
package struct QuietHours: Sendable, Hashable, CustomStringConvertible {
    /// From a minute of some weekdays to a minute of the same or the next day.
    package struct Window: Sendable, Hashable {
        /// Weekdays on which the window starts, 0 (Sunday) to 6.
        package let weekdays: Set<Int>
        /// Minute of the day, 0 to 1439.
        package let start: Int
        /// Minute of the day, 1 to 1440. One before ``start`` is on the next day.
        package let end: Int

        /// Creates a window; nil for values out of range, no weekday, or a start that is the end.
        package init?(weekdays: Set<Int> = Set(0...6), start: Int, end: Int) {
            guard !weekdays.isEmpty, weekdays.allSatisfy((0...6).contains), (0..<1440).contains(start),
                (1...1440).contains(end), start != end
            else { return nil }
            self.weekdays = weekdays
            self.start = start
            self.end = end
        }

        /// Minutes from the given minute to the window's end; nil outside of the window.
        func rest(weekday: Int, minute: Int) -> Int? {
            if weekdays.contains(weekday), minute >= start, minute < end || end < start {
                return end < start ? 1440 - minute + end : end - minute
            }
            if end < start, minute < end, weekdays.contains((weekday + 6) % 7) { return end - minute }
            return nil
        }
    }

    /// Windows at most.
    package static let maxWindows = 32

    /// The windows; they may overlap.
    package let windows: [Window]
    /// Priorities from this one on are sent all the same; nil lets none through.
    package let breakThrough: DeliveryPriority?

    /// Creates quiet hours; nil without a window, for more than ``maxWindows``, or if they leave no minute of the week.
    package init?(windows: [Window], breakThrough: DeliveryPriority? = .emergency) {
        guard (1...Self.maxWindows).contains(windows.count) else { return nil }
        let isOpen = (0..<7).contains { weekday in
            (0..<1440).contains { minute in windows.allSatisfy { $0.rest(weekday: weekday, minute: minute) == nil } }
        }
        guard isOpen else { return nil }
        self.windows = windows
        self.breakThrough = breakThrough
    }

    func isBroken(by priority: DeliveryPriority) -> Bool { breakThrough.map { priority >= $0 } ?? false }

    /// When the silence that covers an instant ends; nil if none covers it.
    ///
    /// The clock on the wall counts at each moment: an hour that comes twice is quiet twice. The result is the first
    /// second that no window covers.
    package func end(after now: Instant, in zone: ZoneRules) -> Instant? {
        var end = now
        // One step for each window and each change of the clocks; 1,000 are more than the windows of three weeks.
        for _ in 0..<1000 {
            let wall = zone.wall(at: end)
            guard let rest = windows.compactMap({ $0.rest(weekday: wall.weekday, minute: wall.minuteOfDay) }).max()
            else { break }
            let second = wall.seconds - wall.seconds / 60 * 60
            let covered = end.seconds - (second < 0 ? second + 60 : second) + Int64(rest) * 60
            end = Instant(seconds: min(covered, zone.segment(at: end).end))
        }
        return end > now ? end : nil
    }

    /// For example `quiet hours 22:00–07:00 (Mon Tue)`.
    package var description: String {
        let names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        func clock(_ minute: Int) -> String {
            let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            return parts.joined(separator: ":")
        }
        let texts = windows.map { window in
            let days =
                window.weekdays.count == 7
                ? "" : " (\(window.weekdays.sorted().map { names[$0] }.joined(separator: " ")))"
            return "\(clock(window.start))–\(clock(window.end))\(days)"
        }
        return "quiet hours \(texts.joined(separator: ", "))"
    }
}
