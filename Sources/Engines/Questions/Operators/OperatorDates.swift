import Goals
import Language

/// Reads the days that `before:`, `after:` and `on:` name: `2026`, `2026-01`, `2026-01-31`, `yesterday`, `last-week`, `March 2025`.
struct OperatorDates {
    /// The longest value that is read, in characters.
    private static let maxCharacters = 60

    let places: CalendarPlaces

    /// The days of a value; nil for one that names none.
    func days(_ value: String) -> CalendarStretch? {
        guard value.count <= Self.maxCharacters else { return nil }
        if let numbers = Self.numbers(value) { return days(numbers) }
        // A value without spaces has hyphens in their place.
        let isDate = value.contains(where: \.isNumber)
        let text = isDate ? value : value.replacing("-", with: " ").replacing("_", with: " ")
        return TimeScopeReader(words: TextWord.words(of: text[...], limit: 12), places: places).whole
    }

    /// The days of a range such as `2026-01..2026-03`, or of a single value; nil for one that names none.
    func range(_ value: String) -> CalendarStretch? {
        guard let dots = value.firstRange(of: "..") else { return days(value) }
        let (from, to) = (String(value[..<dots.lowerBound]), String(value[dots.upperBound...]))
        guard !from.isEmpty || !to.isEmpty else { return nil }
        let (first, last) = (days(from), days(to))
        if !from.isEmpty, first?.first == nil { return nil }
        if !to.isEmpty, last?.last == nil { return nil }
        return CalendarStretch(first?.first, last?.last)
    }

    private func days(_ numbers: [Int]) -> CalendarStretch? {
        switch numbers.count {
        case 1: places.year(numbers[0])
        case 2: (1...12).contains(numbers[1]) ? places.month(numbers[1], of: numbers[0]) : nil
        default: LocalDay(year: numbers[0], month: numbers[1], day: numbers[2]).map(places.day)
        }
    }

    /// The numbers of a year, a year with a month, or a date; nil for other text.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.dropFirst().allSatisfy({ $0.utf8.count <= 2 })
        else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(part) else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

extension TimeScopeReader {
    /// The stretch that all words together name; nil when some of them say something else.
    var whole: CalendarStretch? {
        guard !words.isEmpty else { return nil }
        if let found = named(at: 0, needsPreposition: false), found.range == words.indices { return found.stretch }
        if let found = read(), found.range == words.indices { return found.stretch }
        return nil
    }
}
