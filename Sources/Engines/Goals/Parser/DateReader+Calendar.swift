import Language

extension DateReader {
    /// `2026-11-15`, `15.11.2026`, `3.4.26`, `31.2.`, `11/20/2026`.
    func numeric(_ utterance: Utterance, at index: Int) -> Found? {
        let start = ["on", "am", "vom"].contains(utterance.word(index)) ? index + 1 : index
        guard let text = utterance.number(start) else { return nil }
        func numbers(_ mark: Character) -> [Int]? { WrittenDate.numbers(text, between: mark) }
        let range = index..<(start + 1)
        if let parts = numbers("-"), parts.count == 3, parts[0] >= 1000 {
            return Found(value: value(year: parts[0], month: parts[1], day: parts[2]), range: range)
        }
        if let parts = numbers("."), parts.count == 3 {
            return Found(value: value(year: century(parts[2]), month: parts[1], day: parts[0]), range: range)
        }
        if let parts = numbers("."), parts.count == 2, let mark = utterance.token(start + 1), mark.text == ".",
            mark.isAttached
        {
            return Found(value: value(year: nil, month: parts[1], day: parts[0]), range: index..<(start + 2))
        }
        if let parts = numbers("/"), parts.count == 3 {
            let (a, b, year) = (parts[0], parts[1], century(parts[2]))
            if a > 12 { return Found(value: value(year: year, month: b, day: a), range: range) }
            if b > 12 || a == b { return Found(value: value(year: year, month: a, day: b), range: range) }
            return Found(value: .refused(.ambiguousDate), range: range)
        }
        return nil
    }

    /// `12 October`, `20 Nov`, `Nov 19, 2026`, `the 2nd of March`, `15. Oktober 2026`.
    func named(_ utterance: Utterance, at index: Int) -> Found? {
        var place = index
        while ["on", "the", "am", "vom"].contains(utterance.word(place)), place < index + 2 { place += 1 }
        var day: Int?
        var month: Int?
        if let number = dayNumber(utterance, at: &place) {
            day = number
            if utterance.word(place) == "of" { place += 1 }
            month = monthNumber(utterance, at: &place)
        } else if let number = monthNumber(utterance, at: &place) {
            month = number
            day = dayNumber(utterance, at: &place)
        }
        guard let day, let month else { return nil }
        var end = place
        var year: Int?
        let yearPlace = utterance.word(place) == "," ? place + 1 : place
        if let text = utterance.number(yearPlace), text.utf8.count == 4, let number = Int(text), number >= 1000,
            UnitTable.unit(named: utterance.word(yearPlace + 1)) == nil
        {
            year = number
            end = yearPlace + 1
        }
        return Found(value: value(year: year, month: month, day: day), range: index..<end)
    }

    /// `on the 18th`, `am 18.`: the latest such day.
    func ordinal(_ utterance: Utterance, at index: Int) -> Found? {
        let isGerman = utterance.word(index) == "am"
        var place = index + 1
        if utterance.has(["on", "the"], at: index) { place = index + 2 }
        guard isGerman || utterance.word(place - 1) == "the" else { return nil }
        let start = place
        guard let day = dayNumber(utterance, at: &place), place > start + 1 else { return nil }
        var (year, month, _) = today.date
        for _ in 0..<3 {
            if let found = LocalDay(year: year, month: month, day: day), found <= today {
                return Found(value: .day(found), range: index..<place)
            }
            (year, month) = month == 1 ? (year - 1, 12) : (year, month - 1)
        }
        return Found(value: .refused(.noSuchDate), range: index..<place)
    }

    /// One or two digits with their `th` or `.`; `place` moves behind them.
    private func dayNumber(_ utterance: Utterance, at place: inout Int) -> Int? {
        guard let text = utterance.number(place), text.utf8.count <= 2, let number = Int(text), number >= 0 else {
            return nil
        }
        place += 1
        if let mark = utterance.token(place), mark.isAttached, [".", "st", "nd", "rd", "th"].contains(mark.folded) {
            place += 1
        }
        return number
    }

    /// A month's name with the point of its abbreviation; `place` moves behind them.
    private func monthNumber(_ utterance: Utterance, at place: inout Int) -> Int? {
        guard let month = DateWords.months[utterance.word(place)] else { return nil }
        place += 1
        if let mark = utterance.token(place), mark.isAttached, mark.text == "." { place += 1 }
        return month
    }

    /// A year of two digits in the century that makes it the latest one not after today.
    private func century(_ year: Int) -> Int {
        guard (0..<100).contains(year) else { return year }
        let this = today.date.year / 100 * 100 + year
        return this > today.date.year + 1 ? this - 100 : this
    }

    /// The date, or without a year the latest one that is not after today. A date of the next two weeks is rather a slip or
    /// a plan than a day of the year before: it is refused.
    private func value(year: Int?, month: Int, day: Int) -> Found.Value {
        if let year {
            return LocalDay(year: year, month: month, day: day).map(Found.Value.day) ?? .refused(.noSuchDate)
        }
        for year in today.date.year...(today.date.year + 1) {
            if let soon = LocalDay(year: year, month: month, day: day), (1...14).contains(today.days(until: soon)) {
                return .refused(.future)
            }
        }
        let places = CalendarPlaces(today: today, firstWeekday: 1)
        return places.latest(month: month, day: day).map(Found.Value.day) ?? .refused(.noSuchDate)
    }
}
