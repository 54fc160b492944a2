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
    }

    /// The time at an index: `7:30`, `6 am`, `18`, `21 Uhr`, `7 Uhr 30`, `halb acht`, `Viertel nach sechs`.
    static func read(_ utterance: Utterance, at index: Int) -> Reading? {
        german(utterance, at: index) ?? digits(utterance, at: index)
    }

    private static func digits(_ utterance: Utterance, at index: Int) -> Reading? {
        let isWord = utterance.number(index) == nil
        let text = utterance.number(index) ?? NumberReader.whole(utterance.word(index)).map(String.init) ?? ""
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
        utterance.language == .german || DateWords.weekdays[utterance.word(index + 1)] != nil
    }

    private static func german(_ utterance: Utterance, at index: Int) -> Reading? {
        var shift = -30
        var place = index + 1
        switch utterance.word(index) {
        case "halb": break
        case "viertel" where utterance.word(index + 1) == "nach": (shift, place) = (15, index + 2)
        case "viertel" where utterance.word(index + 1) == "vor": (shift, place) = (-15, index + 2)
        default: return nil
        }
        guard let hour = utterance.number(place).flatMap({ Int($0) }) ?? NumberReader.whole(utterance.word(place)),
            (1...24).contains(hour)
        else { return nil }
        let end = utterance.word(place + 1) == "uhr" ? place + 2 : place + 1
        return Reading(
            minute: (hour * 60 + shift) % 1440, count: end - index, isExplicit: true, hasMeridiem: false)
    }
}
