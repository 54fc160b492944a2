import Database
import GatewayAPI
import GoalRoom
import Goals
package import PushRoom
import Schedules
import Synchronization

/// Says which goals a person should be reminded of, from a time of the person's day on.
///
/// A goal is due if its schedule has the day, nothing is logged for it, and the person did not skip the day. A goal with a
/// reminder of its own reminds at its time and on its weekdays. The others remind at one time for all, totals and averages among
/// them only while they are behind. Nothing is said while rows wait to be matched: one of them may count.
package final class GoalNudges: Sendable {
    /// Reminders of a day at most, for goals without one of their own; the nearest ends come first.
    static let maxNudges = 10
    /// Goals with reminders of their own that are looked at; the nearest ends come first.
    static let maxReminders = 100
    /// Milliseconds between two looks at the goals.
    private static let interval: Int64 = 30_000

    private let service: GoalService
    private let minute: Int?
    private let lastLook = Mutex<Instant?>(nil)

    /// - Parameter minute: Minutes after midnight from which on goals without a reminder of their own remind; nil for never.
    package init(_ service: GoalService, at minute: Int?) {
        self.service = service
        self.minute = minute
    }

    /// The reminders that are due now, with names that are unique for goal and day. The same ones are returned until the day
    /// ends or something is logged; looks within half a minute of the last one return none.
    package func due() async throws -> [PushOccasion] {
        let now = service.now()
        let isNew = lastLook.withLock { last in
            if let known = last, known <= now, now.milliseconds - known.milliseconds < Self.interval { return false }
            last = now
            return true
        }
        guard isNew else { return [] }
        let day = service.rule.day(of: now)
        func hasCome(_ minute: Int) -> Bool { now >= service.rule.instant(of: day, minute: minute) }
        var own = GoalFilter()
        (own.on, own.reminds) = (day, true)
        let reminding = try await service.store.goals.list(own, after: nil, limit: Self.maxReminders).items.filter {
            guard let reminder = $0.record.reminder, let minute = reminder.minute else { return false }
            return reminder.isOn(weekday: day.weekday) && hasCome(minute)
        }
        let isForAll = minute.map(hasCome) ?? false
        guard isForAll || !reminding.isEmpty, try await service.matching() == nil else { return [] }
        let progresses = try await service.summaries(of: reminding, on: day)
        var nudges = zip(reminding, progresses).compactMap { goal, progress in
            nudge(goal.presented(on: day), progress, on: day)
        }
        if isForAll {
            var running = GoalFilter()
            running.on = day
            let others = try await service.goals(
                running, withProgress: true, after: nil, limit: GoalService.maxToday
            ).items.filter { $0.reminder == nil }
            nudges += others.compactMap { nudge($0, $0.progress, on: day) }.prefix(Self.maxNudges)
        }
        return nudges
    }

    /// The reminder of a goal; nil if it has nothing to say.
    private func nudge(_ goal: GoalRecord, _ progress: GoalProgress?, on day: LocalDay) -> PushOccasion? {
        guard let figure = GoalsDue.figure(goal, progress, always: goal.reminder != nil) else { return nil }
        return PushOccasion(
            origin: "goal/\(goal.id)/\(day)", name: goal.title, detail: "Nothing is logged today. \(figure) so far",
            expires: service.rule.start(of: day.adding(1)).milliseconds)
    }
}
