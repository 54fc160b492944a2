/// Dates with times as devices and letters write them, with words around them.
enum DatedLine {
    /// The characters of a date at most, with the words before it.
    private static let most = 160

    /// A date with its time in ISO form, without its zone; nil for one that is not understood.
    static func read(_ text: String) -> String? {
        // Chinese and Japanese have signs behind the numbers.
        let plain = text.prefix(most).replacing("年", with: "-").replacing("月", with: "-").replacing("日", with: " ")
        let words = plain.split { $0.isWhitespace || $0 == "," }
        let time = words.lastIndex { $0.contains(":") && $0.contains { $0.isNumber } }
        let days = (time.map { Array(words[..<$0]) } ?? words).drop { !$0.contains { $0.isNumber || $0.isLetter } }
        guard let day = day(days.joined(separator: " ")) else { return nil }
        guard let time else { return day }
        let behind = words[time...].dropFirst().first.map(String.init) ?? ""
        return clock(String(words[time]), behind, text).map { "\(day) \($0)" } ?? day
    }

    private static func day(_ text: String) -> String? {
        // What is before the first number or month is words such as "Added on", and may be as long as the date.
        for start in text.indices where start == text.startIndex || text[text.index(before: start)] == " " {
            if let found = IngestedDate.read(String(text[start...])) { return String(found.text.prefix(10)) }
        }
        return nil
    }

    /// A time of 24 hours.
    private static func clock(_ digits: String, _ behind: String, _ text: String) -> String? {
        let lower = text.lowercased()
        let parts = digits.drop { !$0.isNumber }.split(separator: ":").map { Int($0.prefix { $0.isNumber }) }
        guard parts.count == 2 || parts.count == 3, let hour = parts[0], let minute = parts[1], hour < 24, minute < 60
        else { return nil }
        let second = parts.count == 3 ? parts[2] ?? 0 : 0
        guard second < 61 else { return nil }
        let mark = behind.lowercased().filter(\.isLetter)
        let isLate = mark == "pm" || lower.contains("下午") || lower.contains("午後")
        let isEarly = mark == "am" || lower.contains("上午") || lower.contains("午前")
        let whole = isLate && hour < 12 ? hour + 12 : isEarly && hour == 12 ? 0 : hour
        return [whole, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
