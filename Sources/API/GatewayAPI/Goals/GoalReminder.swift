/// When a goal reminds of itself, if nothing was logged for it that day.
public struct GoalReminder: Codable, Sendable, Hashable {
    /// The time of the person's day, such as `19:30`.
    public var at: String
    /// Only on these weekdays, 0 (Sunday) to 6; absent for each day on which the goal is due.
    public var weekdays: [Int]?

    /// Creates a value from its fields.
    public init(at: String, weekdays: [Int]? = nil) {
        self.at = at
        self.weekdays = weekdays
    }

    /// The minutes after midnight; nil for a text that is no time of 24 hours with two digits each.
    public var minute: Int? {
        let bytes = Array(at.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 48 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    /// Whether it reminds on a weekday, 0 (Sunday) to 6.
    public func isOn(weekday: Int) -> Bool { weekdays?.contains(weekday) ?? true }
}
