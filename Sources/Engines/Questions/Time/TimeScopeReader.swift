import Goals
import Language

/// Reads the stretch of time that a question is about.
struct TimeScopeReader {
    /// A reading of some words.
    struct Found {
        var stretch: CalendarStretch
        /// The words that are used up.
        var range: Range<Int>
    }

    let words: [TextWord]
    let places: CalendarPlaces

    /// The first expression of time; nil when there is none, or when it is a time to come.
    ///
    /// Notes about a time to come were written before it, so no stretch of days selects them.
    func read() -> Found? {
        var index = words.startIndex
        while index < words.endIndex {
            if let end = ahead(at: index) {
                index = end
                continue
            }
            if let found = bounded(at: index) ?? between(at: index) ?? named(at: index, needsPreposition: true) {
                // A stretch that begins after today selects no note either.
                if let first = found.stretch.first, first > places.today {
                    index = max(index + 1, found.range.upperBound)
                    continue
                }
                return found
            }
            index += 1
        }
        return nil
    }

    // MARK: Times to come

    /// The end of words for a time to come: `next Friday`, `kommende Woche`, `tomorrow`, `in two weeks`, `a week from
    /// Monday`, `Friday next week`; nil for other words.
    private func ahead(at index: Int) -> Int? {
        for phrase in TimeScopeWords.ahead where words.has(phrase, at: index) { return index + phrase.count }
        var place = index
        while TimeScopeWords.intoAhead.contains(words.word(place))
            || TimeScopeWords.articles.contains(words.word(place)),
            place < index + 3
        {
            place += 1
        }
        if TimeScopeWords.next.contains(words.word(place)) {
            var end = place + 1
            // "the next three days", "die nächsten zwei Wochen".
            if number(words.word(end)) != nil || ["few", "couple", "paar"].contains(words.word(end)) { end += 1 }
            if words.word(end) == "of" { end += 1 }
            return isCalendar(words.word(end)) ? end + 1 : nil
        }
        if TimeScopeWords.this.contains(words.word(place)), let number = CalendarWords.weekdays[words.word(place + 1)],
            let first = places.week(0).first, first.adding((number - first.weekday + 7) % 7) > places.today
        {
            return place + 2
        }
        // "what is due on Friday", which no Friday before today is.
        if CalendarWords.weekdays[words.word(place)] != nil, isPending { return place + 1 }
        // "on Friday next week", "Montag kommender Woche", "Friday after next".
        if isCalendar(words.word(place)) {
            let next = words.word(place + 1)
            if TimeScopeWords.next.contains(next), isCalendar(words.word(place + 2)) { return place + 3 }
            if next == "after", words.word(place + 2) == "next" { return place + 3 }
            // "on Monday in the last two weeks" is past.
            let isPast = [2, 3].contains { TimeScopeWords.last.contains(words.word(place + $0)) }
            if next == "in", !isPast, let (_, _, end) = amount(at: place + 2) { return end }
            if TimeScopeWords.tomorrow.contains(next) { return place + 2 }
            return nil
        }
        // "in two weeks", but "in the last two weeks" is past, and "in the two weeks" may be.
        if ["in", "within", "binnen", "innerhalb"].contains(words.word(index)) {
            let start = ["von", "the", "der"].contains(words.word(index + 1)) ? index + 2 : index + 1
            if start == index + 1, words.word(index) == "in" || words.word(index) == "binnen",
                !TimeScopeWords.last.contains(words.word(start)), let (_, _, end) = amount(at: start),
                words.word(end) != "ago"
            {
                return end
            }
        }
        // "two days from now", "a week from Monday".
        if let (_, _, end) = amount(at: index) {
            if words.word(end) == "hence" { return end + 1 }
            let start = words.word(end + 1)
            let isStart = ["now", "today", "tomorrow"].contains(start) || CalendarWords.weekdays[start] != nil
            if words.word(end) == "from", isStart { return end + 2 }
        }
        return nil
    }

    /// Whether the question is about what is to come, as its words say.
    private var isPending: Bool {
        // A German question begins with the word that is past in English.
        let texts = Set(words.dropFirst(words.word(0) == "was" ? 1 : 0).map(\.text))
        return !texts.isDisjoint(with: TimeScopeWords.pending) && texts.isDisjoint(with: TimeScopeWords.past)
    }

    /// Whether a word names a day, a month, a season or a unit of the calendar.
    private func isCalendar(_ word: String) -> Bool {
        CalendarWords.weekdays[word] != nil || CalendarWords.months[word] != nil || CalendarWords.units[word] != nil
            || CalendarWords.seasons[word] != nil || ["weekend", "wochenende", "quarter", "quartal"].contains(word)
    }

    // MARK: Borders

    /// `since Tuesday`, `before March`, `bis gestern`, `seit drei Wochen`.
    private func bounded(at index: Int) -> Found? {
        let word = words.word(index)
        if TimeScopeWords.since.contains(word) {
            if let (count, unit, end) = amount(at: index + 1) {
                return Found(stretch: CalendarStretch(places.past(count, unit).first, nil), range: index..<end)
            }
            guard let found = place(at: index + 1) else { return nil }
            return Found(stretch: CalendarStretch(found.stretch.first, nil), range: index..<found.range.upperBound)
        }
        // "vor drei Tagen" is a place of its own.
        if TimeScopeWords.before.contains(word), amount(at: index + 1) == nil, let found = place(at: index + 1) {
            let stretch = CalendarStretch(nil, found.stretch.first?.adding(-1))
            return Found(stretch: stretch, range: index..<found.range.upperBound)
        }
        if TimeScopeWords.until.contains(word), let found = place(at: index + 1) {
            return Found(stretch: CalendarStretch(nil, found.stretch.last), range: index..<found.range.upperBound)
        }
        if TimeScopeWords.after.contains(word), let found = place(at: index + 1) {
            let stretch = CalendarStretch(found.stretch.last?.adding(1), nil)
            return Found(stretch: stretch, range: index..<found.range.upperBound)
        }
        return nil
    }

    /// `between March and May`, `from Monday to Wednesday`, `von März bis Mai 2025`.
    private func between(at index: Int) -> Found? {
        let word = words.word(index)
        guard ["between", "zwischen", "from", "von", "vom"].contains(word), let first = place(at: index + 1),
            ["and", "und", "to", "bis", "until", "till", "through", "zum"].contains(words.word(first.range.upperBound))
        else { return nil }
        var next = first.range.upperBound + 1
        if ["zum", "the"].contains(words.word(next)) { next += 1 }
        guard let second = place(at: next), var start = first.stretch.first, let end = second.stretch.last else {
            return nil
        }
        // The year of the second one also counts for the first: "from March to May 2024".
        while start > end, let earlier = sameYearBefore(start) { start = earlier }
        return Found(stretch: CalendarStretch(start, end), range: index..<second.range.upperBound)
    }

    private func sameYearBefore(_ day: LocalDay) -> LocalDay? {
        let (year, month, number) = day.date
        return LocalDay(year: year - 1, month: month, day: number)
    }

    /// A place behind a preposition that says how it counts.
    private func place(at index: Int) -> Found? {
        guard words.indices.contains(index) else { return nil }
        var start = index
        while TimeScopeWords.articles.contains(words.word(start))
            || ["on", "am", "in", "im", "zum"].contains(words.word(start)),
            start < index + 2
        {
            start += 1
        }
        return named(at: start, needsPreposition: false)
    }

    // MARK: Places

    func named(at index: Int, needsPreposition: Bool) -> Found? {
        relative(at: index) ?? ago(at: index) ?? lastOrThis(at: index) ?? date(at: index)
            ?? weekday(at: index, needsPreposition) ?? month(at: index, needsPreposition)
            ?? season(at: index, needsPreposition) ?? year(at: index, needsPreposition)
    }

    private func relative(at index: Int) -> Found? {
        let phrases: [([String], Int)] = [
            (["the", "day", "before", "yesterday"], 2), (["day", "before", "yesterday"], 2), (["last", "night"], 1),
            (["letzte", "nacht"], 1), (["this", "morning"], 0), (["this", "afternoon"], 0), (["this", "evening"], 0),
            (["gestern", "abend"], 1), (["heute", "morgen"], 0), (["heute", "früh"], 0), (["today"], 0),
            (["tonight"], 0), (["yesterday"], 1), (["heute"], 0), (["gestern"], 1), (["vorgestern"], 2),
        ]
        for (phrase, days) in phrases where words.has(phrase, at: index) {
            return Found(
                stretch: places.day(places.today.adding(-days)), range: index..<(index + phrase.count))
        }
        return nil
    }

    /// A count and its unit, such as `three weeks`, `a couple of days`; the place behind them.
    private func amount(at index: Int) -> (count: Int, unit: CalendarWords.Unit, end: Int)? {
        var place = index
        if TimeScopeWords.articles.contains(words.word(place)) { place += 1 }
        if TimeScopeWords.last.contains(words.word(place)) { place += 1 }
        if words.has(["a", "couple"], at: place) { place += 1 }
        guard let count = number(words.word(place)) else { return nil }
        place += 1
        if words.word(place) == "of" { place += 1 }
        guard let unit = CalendarWords.units[words.word(place)] else { return nil }
        return (count, unit, place + 1)
    }

    private func number(_ word: String) -> Int? {
        if let number = NumberWords.counts[word] { return number }
        guard word.utf8.count <= 4, let number = Int(word), (1...3650).contains(number) else { return nil }
        return number
    }

    /// `three days ago`, `vor drei Tagen`.
    private func ago(at index: Int) -> Found? {
        let isGerman = words.word(index) == "vor"
        guard let (count, unit, end) = amount(at: isGerman ? index + 1 : index) else { return nil }
        guard isGerman || words.word(end) == "ago" || words.word(end) == "her" else { return nil }
        return places.ago(count, unit).map { Found(stretch: $0, range: index..<(isGerman ? end : end + 1)) }
    }

    /// `last week`, `in the past three months`, `dieses Wochenende`, `letzten Montag`.
    private func lastOrThis(at index: Int) -> Found? {
        var start = index
        if ["in", "over", "during", "within", "for"].contains(words.word(start)) { start += 1 }
        if TimeScopeWords.articles.contains(words.word(start)) { start += 1 }
        let word = words.word(start)
        let isLast = TimeScopeWords.last.contains(word)
        guard isLast || TimeScopeWords.this.contains(word) else { return weekendOf(at: index) }
        if isLast, let (count, unit, end) = amount(at: start + 1), count > 0 {
            return Found(stretch: places.past(count, unit), range: index..<end)
        }
        let name = words.word(start + 1)
        let range = index..<(start + 2)
        if let unit = CalendarWords.units[name] {
            // "the last day" is no day in particular.
            guard unit != .day else { return nil }
            return places.ago(isLast ? 1 : 0, unit).map { Found(stretch: $0, range: range) }
        }
        if name == "weekend" || name == "wochenende" {
            return Found(stretch: places.weekend(isLast: isLast), range: range)
        }
        if let number = CalendarWords.weekdays[name] {
            return Found(stretch: places.day(places.weekday(number, isBeforeToday: isLast)), range: range)
        }
        let (year, month, _) = places.today.date
        if let number = CalendarWords.months[name] {
            let isEarlier = isLast ? number >= month : false
            return places.month(number, of: isEarlier ? year - 1 : year).map { Found(stretch: $0, range: range) }
        }
        if let first = CalendarWords.seasons[name] {
            // The last one is over or has begun before this one.
            var number = year
            if isLast {
                while let end = places.season(from: first, of: number)?.last, end >= places.today { number -= 1 }
            }
            return places.season(from: first, of: number).map { Found(stretch: $0, range: range) }
        }
        return nil
    }

    /// `at the weekend`, `am Wochenende`: the latest one that has begun.
    private func weekendOf(at index: Int) -> Found? {
        var start = index
        guard ["at", "on", "am", "over", "übers"].contains(words.word(start)) else { return nil }
        start += 1
        if words.word(start) == "the" || words.word(start) == "das" { start += 1 }
        guard ["weekend", "wochenende"].contains(words.word(start)) else { return nil }
        let hasBegun = places.today.weekday == 6 || places.today.weekday == 0
        return Found(stretch: places.weekend(isLast: !hasBegun), range: index..<(start + 1))
    }

    private func weekday(at index: Int, _ needsPreposition: Bool) -> Found? {
        var start = index
        let hasPreposition = ["on", "am"].contains(words.word(start))
        if hasPreposition { start += 1 }
        guard let number = CalendarWords.weekdays[words.word(start)] else { return nil }
        // "every Monday" is no day in particular.
        guard !["every", "each", "jeden", "jeder", "a"].contains(words.word(start - 1)) else { return nil }
        return Found(
            stretch: places.day(places.weekday(number, isBeforeToday: false)), range: index..<(start + 1))
    }

    /// `in March`, `im März 2025`, `March 2025`. A month's name alone may be another word.
    private func month(at index: Int, _ needsPreposition: Bool) -> Found? {
        var start = index
        let hasPreposition = TimeScopeWords.into.contains(words.word(start))
        if hasPreposition { start += 1 }
        if hasPreposition, TimeScopeWords.articles.contains(words.word(start)) { start += 1 }
        if ["early", "late", "anfang", "ende", "mitte"].contains(words.word(start)), hasPreposition { start += 1 }
        guard let number = CalendarWords.months[words.word(start)] else { return nil }
        let (year, month, _) = places.today.date
        if let named = self.yearNumber(start + 1) {
            return places.month(number, of: named).map { Found(stretch: $0, range: index..<(start + 2)) }
        }
        guard hasPreposition || !needsPreposition else { return nil }
        return places.month(number, of: number <= month ? year : year - 1).map {
            Found(stretch: $0, range: index..<(start + 1))
        }
    }

    private func season(at index: Int, _ needsPreposition: Bool) -> Found? {
        var start = index
        let hasPreposition = TimeScopeWords.into.contains(words.word(start))
        if hasPreposition { start += 1 }
        if hasPreposition, TimeScopeWords.articles.contains(words.word(start)) { start += 1 }
        guard let first = CalendarWords.seasons[words.word(start)] else { return nil }
        if words.word(start + 1) == "of", let named = yearNumber(start + 2) {
            return places.season(from: first, of: named).map { Found(stretch: $0, range: index..<(start + 3)) }
        }
        if let named = yearNumber(start + 1) {
            return places.season(from: first, of: named).map { Found(stretch: $0, range: index..<(start + 2)) }
        }
        guard hasPreposition || !needsPreposition else { return nil }
        var year = places.today.date.year
        while let begin = places.season(from: first, of: year)?.first, begin > places.today { year -= 1 }
        return places.season(from: first, of: year).map { Found(stretch: $0, range: index..<(start + 1)) }
    }

    /// `in 2024`, `im Jahr 2024`, `the year 2024`.
    private func year(at index: Int, _ needsPreposition: Bool) -> Found? {
        var start = index
        let hasPreposition = TimeScopeWords.into.contains(words.word(start))
        if hasPreposition { start += 1 }
        if words.word(start) == "the" { start += 1 }
        let saysYear = ["year", "jahr", "jahre", "jahres"].contains(words.word(start))
        if saysYear { start += 1 }
        guard hasPreposition || saysYear || !needsPreposition, let number = yearNumber(start) else { return nil }
        // A year to come is no time of a note.
        guard number <= places.today.date.year else { return nil }
        return places.year(number).map { Found(stretch: $0, range: index..<(start + 1)) }
    }

    private func yearNumber(_ index: Int) -> Int? {
        let word = words.word(index)
        guard word.utf8.count == 4, let number = Int(word), (1900...2399).contains(number) else { return nil }
        return number
    }

    // MARK: Dates

    /// `2026-03-14`, `14.3.2026`, `3 March`, `March 3rd, 2025`, `am 3. März`.
    private func date(at index: Int) -> Found? {
        var start = index
        while ["on", "am", "vom", "the"].contains(words.word(start)), start < index + 2 { start += 1 }
        let hasPreposition = start > index
        let word = words.word(start)
        if let day = numeric(word, hasPreposition: hasPreposition) {
            return Found(stretch: places.day(day), range: index..<(start + 1))
        }
        var (dayNumber, month, end) = (0, 0, start)
        if let number = Self.dayNumber(word) {
            let next = words.word(start + 1) == "of" ? start + 2 : start + 1
            guard let found = CalendarWords.months[words.word(next)] else { return nil }
            (dayNumber, month, end) = (number, found, next + 1)
        } else if let found = CalendarWords.months[word], let number = Self.dayNumber(words.word(start + 1)) {
            (dayNumber, month, end) = (number, found, start + 2)
        } else {
            return nil
        }
        if let year = yearNumber(end) {
            return LocalDay(year: year, month: month, day: dayNumber).map {
                Found(stretch: places.day($0), range: index..<(end + 1))
            }
        }
        return places.latest(month: month, day: dayNumber).map {
            Found(stretch: places.day($0), range: index..<end)
        }
    }

    /// 1 to 31, with `st`, `nd`, `rd` or `th`.
    private static func dayNumber(_ word: String) -> Int? {
        var digits = word[...]
        for ending in ["st", "nd", "rd", "th"] where digits.hasSuffix(ending) { digits = digits.dropLast(2) }
        guard (1...2).contains(digits.utf8.count), let number = Int(digits), (1...31).contains(number) else {
            return nil
        }
        return number
    }

    private func numeric(_ word: String, hasPreposition: Bool) -> LocalDay? {
        let iso = WrittenDate.numbers(word, between: "-") ?? []
        let points = WrittenDate.numbers(word, between: ".") ?? []
        if iso.count == 3, iso[0] >= 1900 { return LocalDay(year: iso[0], month: iso[1], day: iso[2]) }
        if points.count == 3 {
            let year = points[2] < 100 ? 2000 + points[2] : points[2]
            return LocalDay(year: year, month: points[1], day: points[0])
        }
        // "3.14" is a number, "am 3.4." is a date.
        guard hasPreposition, points.count == 2, (1...31).contains(points[0]), (1...12).contains(points[1]) else {
            return nil
        }
        return places.latest(month: points[1], day: points[0])
    }
}
