/// Reads the time of day of an utterance, and the duration that `from 9 to 11:30` states.
enum TimeReader {
    /// What was read.
    struct Reading {
        var time: ActionDraft.Time?
        var minutes: Rational?
        var refusals: [UtteranceRefusal] = []
    }

    /// Reads and marks the words as used. `part` is a part of the day that is already known.
    static func read(_ utterance: inout Utterance, part known: DayPart?) -> Reading {
        var reading = Reading()
        var part = known
        var minute: Int?
        var hasMeridiem = false
        var index = 0
        while index < utterance.indices.upperBound {
            let start = index
            index += 1
            if minute == nil, reading.minutes == nil, let span = span(utterance, at: start) {
                utterance.use(start..<(start + span.count))
                minute = span.minute
                hasMeridiem = span.hasMeridiem
                reading.minutes = span.minutes
                continue
            }
            if minute == nil, let clock = clock(utterance, at: start) {
                let range = start..<(start + clock.count)
                if clock.minute == nil {
                    reading.refusals.append(UtteranceRefusal(reason: .noSuchTime, text: utterance.text(range)))
                }
                minute = clock.minute
                hasMeridiem = clock.hasMeridiem
                utterance.use(range)
                continue
            }
            if let found = dayPart(utterance, at: start) {
                part = part ?? found.part
                utterance.use(found.range)
            }
        }
        // In the afternoon and evening, hours without "am" are those after noon.
        let isLate = !hasMeridiem && (part == .afternoon || part == .evening)
        reading.time =
            minute.map { .minute(isLate && (60..<720).contains($0) ? $0 + 720 : $0) } ?? part.map { .part($0) }
        return reading
    }

    /// `from 18:00 to 19:15`, `von 18 bis 19:15 Uhr`.
    private static func span(_ utterance: Utterance, at index: Int) -> (
        minute: Int, hasMeridiem: Bool, minutes: Rational, count: Int
    )? {
        guard ["from", "von"].contains(utterance.word(index)), let first = ClockReader.read(utterance, at: index + 1)
        else { return nil }
        let mark = index + 1 + first.count
        guard ["to", "until", "till", "bis", "-", "–"].contains(utterance.word(mark)),
            let second = ClockReader.read(utterance, at: mark + 1), var start = first.minute, let end = second.minute
        else { return nil }
        let count = mark + 1 + second.count - index
        guard second.isExplicit || !isAmount(utterance, at: index + count) else { return nil }
        if second.hasMeridiem, !first.hasMeridiem, end >= 720, start < 720, start + 720 <= end { start += 720 }
        let minutes = end > start ? end - start : end - start + 1440
        return (start, first.hasMeridiem || second.hasMeridiem, Rational(minutes), count)
    }

    /// `at 7:30`, `6 am`, `um halb acht`, `21 Uhr`. Digits without `am`, `pm` or `Uhr` need a word before them.
    private static func clock(_ utterance: Utterance, at index: Int) -> ClockReader.Reading? {
        let hasWord = ["at", "um", "gegen", "around"].contains(utterance.word(index))
        guard let reading = ClockReader.read(utterance, at: hasWord ? index + 1 : index) else { return nil }
        let end = index + reading.count + (hasWord ? 1 : 0)
        if hasWord {
            guard !isAmount(utterance, at: end) else { return nil }
        } else {
            let last = utterance.word(end - 1)
            guard reading.isPhrase || reading.hasMeridiem || last == "uhr" || utterance.word(index + 1) == "uhr" else {
                return nil
            }
        }
        return ClockReader.Reading(
            minute: reading.minute, count: end - index, isExplicit: true, hasMeridiem: reading.hasMeridiem)
    }

    /// Whether a unit stands here, so that the number before is an amount.
    private static func isAmount(_ utterance: Utterance, at index: Int) -> Bool {
        utterance.word(index) == "%" || MeasureReader.unit(utterance, at: index) != nil
    }

    private static func dayPart(_ utterance: Utterance, at index: Int) -> (part: DayPart, range: Range<Int>)? {
        let word = utterance.word(index)
        if ["before", "after", "vor", "nach"].contains(word) {
            let isArticle = ["the", "my", "der", "dem"].contains(utterance.word(index + 1))
            let place = isArticle ? index + 2 : index + 1
            let table = ["before", "vor"].contains(word) ? DayPartWords.before : DayPartWords.after
            return table[utterance.word(place)].map { ($0, index..<(place + 1)) }
        }
        if ["at", "over", "during"].contains(word), utterance.word(index + 1) == "lunch" {
            return (.lunch, index..<(index + 2))
        }
        if word == "lunch", utterance.word(index + 1) == "break" { return (.lunch, index..<(index + 2)) }
        guard let part = DayPartWords.parts[word] else { return nil }
        return (part, index..<(index + 1))
    }
}
