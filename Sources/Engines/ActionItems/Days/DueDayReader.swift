import Goals
import Language

/// Finds the day by which something is to be done: `by Friday`, `in three days`, `bis Ende des Monats`.
///
/// A week, a month or a weekend means its last day. A weekday means the next one after today, with `next` that of the next
/// calendar week. A date without a year that has passed is next year's.
struct DueDayReader {
    /// A due day and the words that name it.
    struct Found: Equatable {
        var day: LocalDay
        var range: Range<Int>
        /// Whether a word such as `by` names a deadline.
        var isDeadline: Bool
    }

    let today: LocalDay
    /// The first day of a week, 0 for Sunday.
    let firstWeekday: Int

    /// The due days of a sentence, in its order.
    func read(_ words: [TextWord]) -> [Found] {
        var found: [Found] = []
        var index = 0
        while index < words.count {
            guard let next = reading(words, at: index) else {
                index += 1
                continue
            }
            found.append(next)
            index = next.range.upperBound
        }
        return found
    }

    private func reading(_ words: [TextWord], at start: Int) -> Found? {
        guard !DueWords.others.contains(words.word(start - 1)) else { return nil }
        let opening = words.word(start)
        let isBefore = DueWords.before.contains(opening)
        let isBy = isBefore || DueWords.by.contains(opening)
        var index = start
        if isBy || DueWords.on.contains(opening) { index += 1 }
        while index < start + 4, DueWords.articles.contains(words.word(index)) { index += 1 }
        let hasOpening = index > start
        if let end = endOfUnit(words, at: index) {
            return Found(day: end.day, range: start..<end.next, isDeadline: isBy)
        }
        if let day = named(words, at: index, isOpened: hasOpening) ?? count(words, at: start) {
            // Before Friday is Thursday at the latest.
            let due = isBefore && day.isOneDay ? max(day.day.adding(-1), today) : day.day
            return Found(day: due, range: start..<day.next, isDeadline: isBy)
        }
        return nil
    }

    private typealias Reading = (day: LocalDay, next: Int, isOneDay: Bool)

    private func named(_ words: [TextWord], at index: Int, isOpened: Bool) -> Reading? {
        relative(words, at: index) ?? weekday(words, at: index, isOpened: isOpened)
            ?? stretch(words, at: index, isOpened: isOpened) ?? date(words, at: index, isOpened: isOpened)
            ?? dayOfMonth(words, at: index, isOpened: isOpened)
    }

    private func relative(_ words: [TextWord], at index: Int) -> Reading? {
        func found(_ days: Int, _ count: Int) -> Reading {
            var next = index + count
            while DueWords.partsOfDay.contains(words.word(next)), !words[next].followsMark { next += 1 }
            return (today.adding(days), next, true)
        }
        if words.has(["day", "after", "tomorrow"], at: index) { return found(2, 3) }
        switch words.word(index) {
        case "today", "tonight", "heute": return found(0, 1)
        case "tomorrow", "übermorgen": return found(words.word(index) == "tomorrow" ? 1 : 2, 1)
        case "morgen":
            // "Am Morgen" and "guten Morgen" are mornings.
            let isMorning =
                ["am", "guten", "heute", "gestern", "jeden", "der", "den"].contains(words.word(index - 1))
                || words[index].isCapital && index > 0
            return isMorning ? nil : found(1, 1)
        default: return nil
        }
    }

    private func weekday(_ words: [TextWord], at index: Int, isOpened: Bool) -> Reading? {
        let isNext = DueWords.next.contains(words.word(index))
        let place = isNext || CalendarWords.this.contains(words.word(index)) ? index + 1 : index
        guard let number = CalendarWords.weekdays[words.word(place)], words[place].isCapital else { return nil }
        var next = place + 1
        while DueWords.partsOfDay.contains(words.word(next)) { next += 1 }
        // A date beside the weekday is the day that counts.
        if let date = date(words, at: DueWords.articles.contains(words.word(next)) ? next + 1 : next, isOpened: true) {
            return date
        }
        if isNext {
            let first = Week(containing: today.adding(7), firstWeekday: firstWeekday).first
            return (first.adding((number - first.weekday + 7) % 7), next, true)
        }
        let days = (number - today.weekday + 7) % 7
        return (today.adding(days == 0 ? 7 : days), next, true)
    }

    /// `this week`, `next month`, `the weekend`, `im Dezember`: the last day.
    private func stretch(_ words: [TextWord], at index: Int, isOpened: Bool) -> Reading? {
        let isNext = DueWords.next.contains(words.word(index))
        let isThis = CalendarWords.this.contains(words.word(index))
        let place = isNext || isThis ? index + 1 : index
        if DueWords.weekends.contains(words.word(place)), isNext || isThis || isOpened {
            let days = (7 - today.weekday) % 7
            return (today.adding(days + (isNext ? 7 : 0)), place + 1, false)
        }
        if isNext || isThis, let unit = CalendarWords.units[words.word(place)], let day = end(of: unit, isNext ? 1 : 0)
        {
            return (day, place + 1, false)
        }
        if words.word(index) == "in" || words.word(index) == "im",
            let month = CalendarWords.months[words.word(index + 1)],
            words[index + 1].isCapital, let day = last(ofMonth: month)
        {
            return (day, index + 2, false)
        }
        return nil
    }

    /// `the end of the month`, `end of March`, `Ende nächster Woche`, `Monatsende`.
    private func endOfUnit(_ words: [TextWord], at index: Int) -> (day: LocalDay, next: Int)? {
        switch words.word(index) {
        case "monatsende": return end(of: .month, 0).map { ($0, index + 1) }
        case "jahresende": return end(of: .year, 0).map { ($0, index + 1) }
        case "end", "ende": break
        default: return nil
        }
        var place = index + 1
        if words.word(place) == "of" { place += 1 }
        var isNext = false
        while DueWords.articles.contains(words.word(place)) || CalendarWords.this.contains(words.word(place))
            || DueWords.next.contains(words.word(place))
        {
            isNext = isNext || DueWords.next.contains(words.word(place))
            place += 1
        }
        if let unit = CalendarWords.units[words.word(place)], unit != .day, let day = end(of: unit, isNext ? 1 : 0) {
            return (day, place + 1)
        }
        if let month = CalendarWords.months[words.word(place)], let day = last(ofMonth: month) {
            return (day, place + 1)
        }
        return nil
    }

    /// `in three days`, `within two weeks`, `innerhalb von zehn Tagen`.
    private func count(_ words: [TextWord], at index: Int) -> Reading? {
        var place = index
        guard ["in", "within", "innerhalb", "binnen"].contains(words.word(place)) else { return nil }
        place += 1
        if ["von", "the", "den", "next", "nächsten"].contains(words.word(place)) { place += 1 }
        let text = words.word(place)
        guard let count = NumberWords.counts[text] ?? Int(text), (1...1000).contains(count),
            let unit = CalendarWords.units[words.word(place + 1)]
        else { return nil }
        let day: LocalDay? =
            switch unit {
            case .day: today.adding(count)
            case .week: today.adding(count * 7)
            case .month: sameDay(monthsLater: count)
            case .year: sameDay(monthsLater: count * 12)
            }
        return day.map { ($0, place + 2, false) }
    }

    /// `2026-12-03`, `30.11.`, `12 December`, `December 12th`, `12. Dezember 2026`.
    ///
    /// - Parameter isOpened: Whether a word such as `bis` is before it: `1.2` alone is a number.
    private func date(_ words: [TextWord], at index: Int, isOpened: Bool) -> Reading? {
        let text = words.word(index)
        if let day = LocalDay(parsing: text) { return (day, index + 1, true) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 2 || parts.count == 3, let number = Int(parts[0]), let month = Int(parts[1]) {
            guard parts.count == 3 else {
                return isOpened ? coming(month, number).map { ($0, index + 1, true) } : nil
            }
            guard var year = Int(parts[2]) else { return nil }
            if year < 100 { year += 2000 }
            return LocalDay(year: year, month: month, day: number).map { ($0, index + 1, true) }
        }
        var number = ordinal(text)
        var month = CalendarWords.months[words.word(index + 1)]
        var next = index + 2
        if number != nil, words.word(index + 1) == "of" {
            month = CalendarWords.months[words.word(index + 2)]
            next = index + 3
        }
        if number == nil {
            month = words.indices.contains(index) && words[index].isCapital ? CalendarWords.months[text] : nil
            number = ordinal(words.word(index + 1))
        }
        guard let number, let month else { return nil }
        if let year = Int(words.word(next)), (1900...2399).contains(year) {
            return LocalDay(year: year, month: month, day: number).map { ($0, next + 1, true) }
        }
        return coming(month, number).map { ($0, next, true) }
    }

    /// `the 5th`, `zum 5.`
    private func dayOfMonth(_ words: [TextWord], at index: Int, isOpened: Bool) -> Reading? {
        let text = words.word(index)
        guard isOpened, let number = ordinal(text), (1...31).contains(number) else { return nil }
        let isEnglish = Int(text) == nil
        let isGerman =
            ["zum", "am", "dem"].contains(words.word(index - 1))
            && (index + 1 == words.count || words[index + 1].followsMark)
        guard isEnglish || isGerman else { return nil }
        let (year, month, _) = today.date
        for offset in 0...12 {
            let months = month - 1 + offset
            if let day = LocalDay(year: year + months / 12, month: months % 12 + 1, day: number), day >= today {
                return (day, index + 1, true)
            }
        }
        return nil
    }

    /// The number of `5`, `5th` or `22nd`; nil for other text.
    private func ordinal(_ text: String) -> Int? {
        if let number = Int(text) { return (1...31).contains(number) ? number : nil }
        guard ["st", "nd", "rd", "th"].contains(where: text.hasSuffix), let number = Int(text.dropLast(2)) else {
            return nil
        }
        return (1...31).contains(number) ? number : nil
    }

    /// The next such date.
    private func coming(_ month: Int, _ day: Int) -> LocalDay? {
        let year = today.date.year
        guard let date = LocalDay(year: year, month: month, day: day) else {
            return LocalDay(year: year + 1, month: month, day: day)
        }
        return date < today ? LocalDay(year: year + 1, month: month, day: day) : date
    }

    /// The last day of the next such month, this one included.
    private func last(ofMonth month: Int) -> LocalDay? {
        let (year, current, _) = today.date
        return places.month(month, of: month < current ? year + 1 : year)?.last
    }

    private func sameDay(monthsLater count: Int) -> LocalDay? {
        let (year, month, day) = today.date
        return places.sameDay(day, ofMonth: month + count, year)
    }

    /// The last day of this or the next week, month or year.
    private func end(of unit: CalendarWords.Unit, _ offset: Int) -> LocalDay? { places.ago(-offset, unit)?.last }

    private var places: CalendarPlaces { CalendarPlaces(today: today, firstWeekday: firstWeekday) }
}
