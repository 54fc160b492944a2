import Goals
import Schedules

/// What people write about times, amounts and what they did.
enum CalendarTargets {
    /// A schedule that is accepted fires in order, and its last time in a range is the last of those in it.
    static let schedules: FuzzBody = { bytes in
        var input = Input(bytes)
        let isCron = input.byte() & 1 == 0
        let text = String(decoding: input.rest, as: UTF8.self)
        guard let start = WallTime(year: 2026, month: 2, day: 28, hour: 9),
            let rule: ScheduleRule = isCron
                ? (try? CronExpression(parsing: text)).map(ScheduleRule.cron)
                : (try? RecurrenceRule(parsing: text, start: start)).map(ScheduleRule.recurrence),
            let schedule = try? Schedule(rule: rule, zone: .utc)
        else { return }
        let begin = Instant(seconds: 1_790_000_000)
        let range = begin..<begin.adding(seconds: 40 * 86_400)
        guard let found = try? schedule.occurrences(in: range, limit: 20) else { return }
        for (one, next) in zip(found, found.dropFirst()) {
            promise(one.instant < next.instant, "\(text) fires out of order")
        }
        promise(found.allSatisfy { range.contains($0.instant) }, "\(text) fires outside the range")
        if found.count < 20 { promise((try? schedule.last(in: range)) == found.last, "\(text) has another last time") }
    }

    /// An utterance becomes a draft whose amounts read back as themselves.
    static let utterances: FuzzBody = { bytes in
        guard let today = LocalDay(year: 2026, month: 11, day: 23) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let draft = UtteranceParser(today: today).parse(text)
        for quantity in draft.measures { check(quantity) }
        if let minutes = draft.minutes { promise(minutes >= .zero, "\(text) took \(minutes) minutes") }
    }

    /// A quantity reads back as itself, and a conversion there and back changes nothing.
    static let quantities: FuzzBody = { bytes in
        var input = Input(bytes)
        let one = Quantity(parsing: String(decoding: input.piece(upTo: 0x0A), as: UTF8.self), custom: true)
        if let one { check(one) }
        guard let one, let unit = Unit(parsing: String(decoding: input.rest, as: UTF8.self), custom: true) else {
            return
        }
        if let other = one.converted(to: unit), let back = other.converted(to: one.unit) {
            promise(back == one, "\(one) comes back as \(back)")
        }
    }

    private static func check(_ quantity: Quantity) {
        let text = "\(quantity)"
        guard text.utf8.count <= 40 else { return }
        promise(Quantity(parsing: text, custom: true) == quantity, "\(text) is read differently again")
    }
}
