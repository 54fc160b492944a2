import Language

/// Reads times of day as a clock shows them.
enum ClockReader {
    /// A time and how it was written.
    struct Reading {
        /// Minutes after midnight; nil for a time that no clock shows.
        let minute: Int?
        /// The number of its tokens.
        let count: Int
        /// Whether `am`, `pm`, `Uhr` or a colon shows that it is a time.
        let isExplicit: Bool
        /// Whether `am` or `pm` was said.
        let hasMeridiem: Bool
        /// Whether it can only be a time, so that no word such as `at` is needed: `half past ten`, `midnight`.
        var isPhrase = false
    }

    /// The time at an index: `7:30`, `6 am`, `18`, `21 Uhr`, `7 Uhr 30`, `halb acht`, `Viertel nach sechs`, `half past ten`,
    /// `midnight`.
    static func read(_ utterance: Utterance, at index: Int) -> Reading? {
        phrase(utterance, at: index) ?? digits(utterance, at: index)
    }

    private static func digits(_ utterance: Utterance, at index: Int) -> Reading? {
        let isWord = utterance.number(index) == nil
        let text = utterance.number(index) ?? NumberWords.whole(utterance.word(index)).map(String.init) ?? ""
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let hour = Int(parts[0]), hour >= 0, parts[0].utf8.count <= 2,
            parts.count == 1 || parts[1].utf8.count == 2, var minute = parts.count == 1 ? 0 : Int(parts[1])
        else { return nil }
        var count = 1
        var hours = hour
        var isValid = hour < 24 && minute < 60
        let mark = utterance.word(index + 1)
        let hasMeridiem = ["am", "pm"].contains(mark) && !isWeekdayNext(utterance, after: index + 1)
        if hasMeridiem {
            count = 2
            isValid = isValid && (1...12).contains(hour)
            hours = hour % 12 + (mark == "pm" ? 12 : 0)
        } else if mark == "uhr" || mark == "o'clock" || mark == "o’clock" {
            count = 2
            if mark == "uhr", parts.count == 1, let rest = utterance.number(index + 2), rest.utf8.count == 2,
                let number = Int(rest), UnitTable.unit(named: utterance.word(index + 3)) == nil
            {
                count = 3
                minute = number
                isValid = isValid && (0..<60).contains(number)
            }
        }
        // Articles are numbers, too, but no times.
        guard !isWord || count > 1 || hour > 1 else { return nil }
        return Reading(
            minute: isValid ? hours * 60 + minute : nil, count: count, isExplicit: count > 1 || parts.count == 2,
            hasMeridiem: hasMeridiem)
    }

    /// In German "am" is a preposition: `um 7 am Montag`.
    private static func isWeekdayNext(_ utterance: Utterance, after index: Int) -> Bool {
        utterance.language == .german || CalendarWords.weekdays[utterance.word(index + 1)] != nil
    }

    /// Minutes that words before an hour add to it.
    private static let shifts: [(words: [String], minutes: Int)] = [
        (["halb"], -30), (["viertel", "nach"], 15), (["viertel", "vor"], -15), (["half", "past"], 30),
        (["a", "quarter", "past"], 15), (["quarter", "past"], 15), (["a", "quarter", "to"], -15),
        (["quarter", "to"], -15),
        (["ten", "past"], 10), (["ten", "to"], -10), (["twenty", "past"], 20), (["twenty", "to"], -20),
    ]

    private static func phrase(_ utterance: Utterance, at index: Int) -> Reading? {
        if ["midnight", "mitternacht"].contains(utterance.word(index)) {
            return Reading(minute: 0, count: 1, isExplicit: true, hasMeridiem: true, isPhrase: true)
        }
        guard let found = shifts.first(where: { utterance.has($0.words, at: index) }) else { return nil }
        let shift = found.minutes
        let place = index + found.words.count
        guard let hour = utterance.number(place).flatMap({ Int($0) }) ?? NumberWords.whole(utterance.word(place)),
            (1...24).contains(hour)
        else { return nil }
        let mark = utterance.word(place + 1)
        let end = ["uhr", "am", "pm"].contains(mark) && (mark == "uhr" || hour <= 12) ? place + 2 : place + 1
        let hours = mark == "pm" ? hour % 12 + 12 : mark == "am" ? hour % 12 : hour
        return Reading(
            minute: (hours * 60 + shift + 1440) % 1440, count: end - index, isExplicit: true,
            hasMeridiem: mark == "am" || mark == "pm", isPhrase: true)
    }
}
