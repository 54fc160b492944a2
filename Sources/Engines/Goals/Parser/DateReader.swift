import Language

/// Reads the day of an utterance: relative days, weekdays and dates. A date that cannot be meant is refused.
struct DateReader {
    /// A reading of some words.
    struct Found {
        /// What the words say.
        enum Value {
            case day(LocalDay)
            /// The latest such weekday; with a date beside it, the date has to fall on it.
            case weekday(LocalDay)
            case refused(UtteranceRefusal.Reason)
        }

        let value: Value
        /// The words that are used up.
        let range: Range<Int>
        /// The part of the day in `Mittwochabend`.
        var part: DayPart?
    }

    let today: LocalDay

    /// The day, the refusals, and the part of the day that a weekday's name includes; marks the words as used.
    func read(_ utterance: inout Utterance) -> (day: LocalDay?, refusals: [UtteranceRefusal], part: DayPart?) {
        var found: [Found] = []
        var index = 0
        while index < utterance.indices.upperBound {
            guard let next = reading(utterance, at: index) else {
                index += 1
                continue
            }
            found.append(next)
            index = max(index + 1, next.range.upperBound)
        }
        var days: [LocalDay] = []
        var weekdays: [LocalDay] = []
        var refusals: [UtteranceRefusal] = []
        for reading in found {
            let text = utterance.text(reading.range)
            switch reading.value {
            case .day(let day) where day > today: refusals.append(UtteranceRefusal(reason: .future, text: text))
            case .day(let day): days.append(day)
            case .weekday(let day): weekdays.append(day)
            case .refused(let reason): refusals.append(UtteranceRefusal(reason: reason, text: text))
            }
        }
        let isConsistent =
            Set(days).count <= 1
            && (days.isEmpty ? Set(weekdays).count <= 1 : weekdays.allSatisfy { $0.weekday == days[0].weekday })
        if !isConsistent, let first = found.first, let last = found.last {
            let text = utterance.text(first.range.lowerBound..<last.range.upperBound)
            refusals.append(UtteranceRefusal(reason: .contradiction, text: text))
        }
        for reading in found { utterance.use(reading.range) }
        let day = refusals.isEmpty ? days.first ?? weekdays.first : nil
        return (day, refusals, found.lazy.compactMap(\.part).first)
    }

    private func reading(_ utterance: Utterance, at index: Int) -> Found? {
        guard utterance.token(index) != nil else { return nil }
        return relative(utterance, at: index) ?? ago(utterance, at: index) ?? stretch(utterance, at: index)
            ?? weekday(utterance, at: index) ?? numeric(utterance, at: index) ?? named(utterance, at: index)
            ?? ordinal(utterance, at: index)
    }

    private func relative(_ utterance: Utterance, at index: Int) -> Found? {
        let word = utterance.word(index)
        let start = word == "the" ? index + 1 : index
        if utterance.has(["day", "before", "yesterday"], at: start) {
            return Found(value: .day(today.adding(-2)), range: index..<(start + 3))
        }
        if utterance.has(["day", "after", "tomorrow"], at: start) {
            return Found(value: .refused(.future), range: index..<(start + 3))
        }
        if let days = DateWords.relativeDay(word) {
            return Found(value: .day(today.adding(-days)), range: index..<(index + 1))
        }
        if let plan = DateWords.plans.first(where: { utterance.has($0, at: index) }) {
            return Found(value: .refused(.future), range: index..<(index + plan.count))
        }
        if DateWords.future.contains(word) { return Found(value: .refused(.future), range: index..<(index + 1)) }
        // "morgen" behind a day is the morning.
        if word == "morgen", index == 0 || !isDay(utterance.tokens[index - 1].folded) {
            return Found(value: .refused(.future), range: index..<(index + 1))
        }
        if word == "tonight" { return Found(value: .day(today), range: index..<(index + 1), part: .evening) }
        // The part of the day stays for the reader of times.
        if word == "last", utterance.word(index + 1) == "night" {
            return Found(value: .day(today.adding(-1)), range: index..<(index + 1))
        }
        if word == "this", DayPartWords.parts[utterance.word(index + 1)] != nil {
            return Found(value: .day(today), range: index..<(index + 1))
        }
        return nil
    }

    private func isDay(_ word: String) -> Bool {
        DateWords.relative[word] != nil || CalendarWords.weekdays[word] != nil || ["am", "jeden"].contains(word)
    }

    /// `3 days ago`, `vor zwei Wochen`.
    private func ago(_ utterance: Utterance, at index: Int) -> Found? {
        let isGerman = utterance.word(index) == "vor"
        let start = isGerman ? index + 1 : index
        guard let count = utterance.number(start).flatMap({ Int($0) }) ?? NumberWords.whole(utterance.word(start)),
            let length = DateWords.daysAgo[utterance.word(start + 1)],
            isGerman || utterance.word(start + 2) == "ago"
        else { return nil }
        let range = index..<(start + (isGerman ? 2 : 3))
        guard (0...36_500).contains(count) else { return Found(value: .refused(.noSuchDate), range: range) }
        return Found(value: .day(today.adding(-count * length)), range: range)
    }

    /// `last week`, `am Wochenende`.
    private func stretch(_ utterance: Utterance, at index: Int) -> Found? {
        if let vague = DateWords.vague.first(where: { utterance.has($0, at: index) }) {
            return Found(value: .refused(.notADay), range: index..<(index + vague.count))
        }
        let word = utterance.word(index)
        var end = index + 1
        if utterance.word(end) == "the" { end += 1 }
        guard DateWords.stretches.contains(utterance.word(end)) else { return nil }
        if CalendarWords.next.contains(word) { return Found(value: .refused(.future), range: index..<(end + 1)) }
        let isStretch =
            CalendarWords.last.contains(word) || DateWords.on.contains(word)
            || ["diese", "dieses", "at", "im"].contains(word)
        return isStretch ? Found(value: .refused(.notADay), range: index..<(end + 1)) : nil
    }

    private func weekday(_ utterance: Utterance, at index: Int) -> Found? {
        let word = utterance.word(index)
        let isLast = CalendarWords.last.contains(word)
        let isNext = CalendarWords.next.contains(word)
        let hasPrefix = isLast || isNext || DateWords.on.contains(word)
        let place = hasPrefix ? index + 1 : index
        let name = utterance.word(place)
        var part: DayPart?
        // "Sat" and "sun" are also other words; so are the German abbreviations.
        let isClear = hasPrefix || DayPartWords.parts[utterance.word(place + 1)] != nil || name.count > 3
        var number = CalendarWords.weekdays[name] ?? (isClear ? CalendarWords.shortWeekdays[name] : nil)
        if number == nil, let day = CalendarWords.weekdays.first(where: { name.hasPrefix($0.key) && name != $0.key }) {
            part = DayPartWords.parts[String(name.dropFirst(day.key.count))]
            number = part == nil ? nil : day.value
        }
        guard let number else { return nil }
        let range = index..<(place + 1)
        if isNext { return Found(value: .refused(.future), range: range) }
        let back = (today.weekday - number + 7) % 7
        return Found(value: .weekday(today.adding(-(isLast && back == 0 ? 7 : back))), range: range, part: part)
    }
}
