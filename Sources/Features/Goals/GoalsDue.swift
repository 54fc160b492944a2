import Database
package import GatewayAPI
import GoalRoom
package import Goals

/// The goals that want something of the person on a day: their schedule has it, nothing or not enough is logged, and the
/// person did not skip it. Totals and averages count only while they are behind.
package struct GoalsDue: Sendable {
    /// Goals of a day at most; the nearest ends come first.
    static let maxGoals = 10

    private let service: GoalService

    package init(_ service: GoalService) { self.service = service }

    /// The goals of a day, as the card of a briefing has them.
    ///
    /// - Throws: ``StorageError``.
    package func cards(on day: LocalDay) async throws -> [BriefingGoal] {
        var running = GoalFilter()
        running.on = day
        let goals = try await service.goals(
            running, withProgress: true, after: nil, limit: GoalService.maxToday
        ).items
        return goals.compactMap { goal in
            Self.figure(goal, goal.progress).map { BriefingGoal(id: goal.id, title: goal.title, detail: $0) }
        }.prefix(Self.maxGoals).map(\.self)
    }

    /// What is reached of a goal that is due, such as `12 of 20 km` or `3 of 30 days`; nil if it is not due.
    ///
    /// - Parameter always: Whether a total that is on its way counts, too.
    static func figure(_ goal: GoalRecord, _ progress: GoalProgress?, always: Bool = false) -> String? {
        guard let progress, progress.isDue, !progress.isDone else { return nil }
        switch (goal.rule.kind, progress.status) {
        case (_, "complete"), (_, "overachieved"), (_, "overdue"): return nil
        case ("each", _), ("streak", _), (_, "behind"), (_, "not_started"): break
        default: if !always { return nil }
        }
        let unit =
            switch goal.rule.kind {
            case "each": goal.rule.window == "week" ? " weeks" : " days"
            case "streak": " days in a row"
            default: progress.unit.map { " \($0)" } ?? ""
            }
        return "\(GoalProposals.number(progress.achieved)) of \(GoalProposals.number(progress.needed))\(unit)"
    }
}
