package import GatewayAPI
import Push
package import Schedules

/// A schedule that a client wrote, checked.
package struct PushScheduleRule: Sendable {
    /// Exceptions of a recurrence rule at most.
    private static let maxExceptions = 100

    /// When it is due.
    package let schedule: Schedule
    /// What happens with missed occurrences.
    package let catchUp: CatchUp

    /// Reads and checks a schedule, except for its message.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)``.
    package init(_ request: PushScheduleRequest, zones: ZoneDatabase) throws(PushRefusal) {
        let zone: ZoneRules
        do { zone = try zones.rules(request.zone ?? "UTC") } catch { throw .field("zone", error.description) }
        guard [request.at, request.cron, request.rrule].compactMap({ $0 }).count == 1 else {
            throw .field("cron", "expected exactly one of at, cron and rrule")
        }
        let (rule, field) = try Self.rule(request)
        var daylight = rule.defaultDaylight
        if let word = request.gap { daylight.gap = try Self.word(word, "gap") }
        if let word = request.overlap { daylight.overlap = try Self.word(word, "overlap") }
        do { schedule = try Schedule(rule: rule, zone: zone, daylight: daylight) } catch {
            throw .field(field, error.description)
        }
        let mode: CatchUp.Mode =
            try request.catchUp.map { word throws(PushRefusal) in
                try Self.word(word, "catchUp")
            } ?? .latest
        if let window = request.catchUpWindow, !(0...366 * 86_400).contains(window) {
            throw .field("catchUpWindow", "expected 0 to 31622400 seconds, got \(window)")
        }
        catchUp = CatchUp(mode: mode, window: request.catchUpWindow ?? 86_400)
    }

    private static func rule(_ request: PushScheduleRequest) throws(PushRefusal) -> (ScheduleRule, String) {
        guard request.rrule != nil || request.start == nil && request.except == nil else {
            throw .field("start", "\"start\" and \"except\" belong to rrule")
        }
        if let text = request.at { return (.once(try wall(text, "at")), "at") }
        if let text = request.cron {
            do { return (.cron(try CronExpression(parsing: text)), "cron") } catch {
                throw .field("cron", error.description)
            }
        }
        guard let start = request.start else { throw .field("start", "is required for rrule") }
        let wanted = request.except ?? []
        guard wanted.count <= maxExceptions else {
            throw .field("except", "expected at most \(maxExceptions) entries, got \(wanted.count)")
        }
        var exceptions: [WallTime] = []
        for (index, text) in wanted.enumerated() { exceptions.append(try wall(text, "except[\(index)]")) }
        do {
            return (
                .recurrence(
                    try RecurrenceRule(
                        parsing: request.rrule ?? "", start: try wall(start, "start"), excluding: exceptions)),
                "rrule"
            )
        } catch let error as ScheduleError {
            throw .field("rrule", error.description)
        } catch let error as PushRefusal {
            throw error
        } catch {
            throw .field("rrule", "cannot be read")
        }
    }

    private static func wall(_ text: String, _ field: String) throws(PushRefusal) -> WallTime {
        guard let wall = WallTime(parsing: text) else {
            throw .field(field, "expected a time on the wall such as 2026-12-24T18:00")
        }
        return wall
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String, _ field: String
    ) throws(PushRefusal) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw .field(field, "expected \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// The next times after an instant.
    package func next(_ count: Int, after instant: Instant) -> [PushOccurrence] {
        let all = (try? schedule.occurrences(in: instant.adding(milliseconds: 1)..<Instant.latest, limit: count)) ?? []
        return all.map { occurrence in
            let local = schedule.zone.wall(at: occurrence.instant)
            return PushOccurrence(
                at: occurrence.instant.description, local: local.description,
                nominal: local == occurrence.wall ? nil : occurrence.wall.description)
        }
    }

    /// The next occurrence after an instant, in milliseconds since 1970.
    func nextDue(after instant: Instant) -> Int64? {
        (try? schedule.next(after: instant)).flatMap { $0 }?.instant.milliseconds
    }
}
