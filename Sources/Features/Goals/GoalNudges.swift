import GatewayAPI
import Goals
import Schedules
package import Storage
import Synchronization

/// Says which goals a person should be reminded of, from a time of the person's day on.
///
/// A goal is due if its schedule has the day, nothing is logged for it, and the person did not skip the day. Totals and
/// averages remind only while they are behind. Nothing is said while rows wait to be matched: one of them may count.
package final class GoalNudges: Sendable {
    /// Reminders of a day at most; the nearest ends come first.
    static let maxNudges = 10
    /// Milliseconds between two looks at the goals.
    private static let interval: Int64 = 30_000

    private let service: GoalService
    private let minute: Int?
    private let lastLook = Mutex<Instant?>(nil)

    /// - Parameter minute: Minutes after midnight from which on reminders are due; nil for none.
    package init(_ service: GoalService, at minute: Int?) {
        self.service = service
        self.minute = minute
    }

    /// The reminders that are due now, with names that are unique for goal and day. The same ones are returned until the day ends or something is logged; looks within
    /// half a minute of the last one return none.
    package func due() async throws -> [PushOccasion] {
        guard let minute else { return [] }
        let now = service.now()
        let day = service.rule.day(of: now)
        guard now >= service.rule.instant(of: day, minute: minute) else { return [] }
        let isNew = lastLook.withLock { last in
            if let known = last, known <= now, now.milliseconds - known.milliseconds < Self.interval { return false }
            last = now
            return true
        }
        guard isNew, try await service.matching() == nil else { return [] }
        var filter = GoalFilter()
        filter.on = day
        let goals = try await service.goals(
            filter, withProgress: true, after: nil, limit: GoalService.maxToday
        ).items
        let end = service.rule.start(of: day.adding(1))
        let nudges = goals.compactMap { goal -> PushOccasion? in
            guard let progress = goal.progress, progress.isDue, !progress.isDone else { return nil }
            switch (goal.rule.kind, progress.status) {
            case (_, "complete"), (_, "overachieved"), (_, "overdue"): return nil
            case ("each", _), ("streak", _), (_, "behind"), (_, "not_started"): break
            default: return nil
            }
            let unit = progress.unit.map { " \($0)" } ?? ""
            let figure =
                "\(GoalProposals.number(progress.achieved)) of \(GoalProposals.number(progress.needed))\(unit) so far"
            return PushOccasion(
                origin: "goal/\(goal.id)/\(day)", name: goal.title, detail: "Nothing is logged today. \(figure)",
                expires: end.milliseconds)
        }
        return Array(nudges.prefix(Self.maxNudges))
    }
}
