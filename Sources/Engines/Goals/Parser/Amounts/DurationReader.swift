/// Reads how long something took.
struct DurationReader {
    /// A duration and the number of its tokens.
    private struct Reading {
        let minutes: Rational
        let count: Int
    }

    /// Whether `m` may mean minutes, as in `meditation 10m`.
    let readsMetresAsMinutes: Bool

    /// The first duration in minutes, with its repetitions, or why it was refused; marks the words as used.
    func read(_ utterance: inout Utterance) -> (minutes: Rational?, refusal: UtteranceRefusal?) {
        for index in utterance.indices {
            guard let reading = reading(utterance, at: index) else { continue }
            let end = index + reading.count
            // "7 h to 8 h"
            let other =
                WrittenNumber.rangeWords.contains(utterance.word(end)) ? self.reading(utterance, at: end + 1) : nil
            let start = WrittenNumber.beginning(utterance, of: index)
            if start != nil || other != nil {
                let whole = (start ?? index)..<(other.map { end + 1 + $0.count } ?? end)
                let text = utterance.text(whole)
                utterance.use(whole)
                return (nil, UtteranceRefusal(reason: .unclearAmount, text: text))
            }
            let repeats = RepeatReader.before(utterance, index) ?? RepeatReader.after(utterance, end)
            utterance.use(index..<end)
            if let repeats { utterance.use(repeats.range) }
            return (repeats.flatMap { reading.minutes.multiplied(by: $0.factor) } ?? reading.minutes, nil)
        }
        return (nil, nil)
    }

    private func reading(_ utterance: Utterance, at index: Int) -> Reading? {
        Self.phrase(utterance, at: index) ?? Self.clockStyle(utterance, at: index) ?? sum(utterance, at: index)
    }

    /// Fixed phrases, longer ones first.
    private static let phrases: [(words: [String], minutes: Int)] = [
        ("three quarters of an hour", 45), ("a quarter of an hour", 15), ("one hour and a half", 90),
        ("an hour and a half", 90), ("an hour and a quarter", 75), ("a quarter hour", 15), ("half an hour", 30),
        ("a half hour", 30), ("half hour", 30), ("eine halbe stunde", 30), ("einer halben stunde", 30),
        ("halbe stunde", 30), ("eine dreiviertelstunde", 45), ("dreiviertelstunde", 45), ("eine viertelstunde", 15),
        ("viertelstunde", 15),
    ].map { ($0.0.split(separator: " ").map(String.init), $0.1) }

    private static func phrase(_ utterance: Utterance, at index: Int) -> Reading? {
        phrases.first { utterance.has($0.words, at: index) }.map {
            Reading(minutes: Rational($0.minutes), count: $0.words.count)
        }
    }

    /// `27:45` (minutes and seconds), `0:38:20`, `1:30 h` (hours and minutes).
    private static func clockStyle(_ utterance: Utterance, at index: Int) -> Reading? {
        guard let text = utterance.number(index) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 4 ? Int($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count,
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) }), numbers[0] >= 0
        else { return nil }
        let unit = MeasureReader.unit(utterance, at: index + 1)
        // A pace is a measure.
        if let unit, unit.unit.factors.count > 1 { return nil }
        let isHours = unit?.unit.description == "h"
        var seconds = numbers.reduce(0) { $0 * 60 + $1 }
        if isHours, numbers.count == 2 { seconds *= 60 }
        let hasUnit = isHours || unit?.unit.description == "min"
        return Rational(Int128(seconds), over: 60).map {
            Reading(minutes: $0, count: 1 + (hasUnit ? unit?.count ?? 0 : 0))
        }
    }

    /// `1h 20min`, `26 minutes and 40 seconds`, `two and a half hours`.
    private func sum(_ utterance: Utterance, at index: Int) -> Reading? {
        var total: Rational?
        var place = index
        var smallest: Rational?
        while let number = NumberReader.read(utterance, at: place), number.value >= .zero {
            let unit = timeUnit(utterance, at: place + number.count)
            if let unit, smallest.map({ unit.unit.factor < $0 }) ?? true {
                guard let seconds = number.value.multiplied(by: unit.unit.factor) else { break }
                total = total.flatMap { $0.adding(seconds) } ?? seconds
                smallest = unit.unit.factor
                place += number.count + unit.count
            } else if unit == nil, smallest == Rational(3600),
                MeasureReader.unit(utterance, at: place + number.count) == nil,
                number.value < Rational(60), utterance.number(place) != nil
            {
                // "1 h 20"
                total = number.value.multiplied(by: Rational(60)).flatMap { total?.adding($0) }
                place += number.count
                break
            } else {
                break
            }
            let isJoined = ["and", "und", ","].contains(utterance.word(place))
            guard isJoined, let next = NumberReader.read(utterance, at: place + 1),
                timeUnit(utterance, at: place + 1 + next.count) != nil
            else { continue }
            place += 1
        }
        return total.flatMap { $0.divided(by: Rational(60)) }.map { Reading(minutes: $0, count: place - index) }
    }

    private func timeUnit(_ utterance: Utterance, at index: Int) -> MeasureReader.UnitReading? {
        if readsMetresAsMinutes, utterance.word(index) == "m", let minute = Unit(parsing: "min") {
            return MeasureReader.UnitReading(unit: minute, count: 1)
        }
        return MeasureReader.unit(utterance, at: index).flatMap {
            ["s", "min", "h"].contains($0.unit.description) ? $0 : nil
        }
    }
}
