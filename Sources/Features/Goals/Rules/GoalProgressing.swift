import GatewayAPI
import GoalRoom
import Goals
import Schedules

extension StoredGoal {
    /// The goal as the API shows it: with the target and the schedule of a day.
    func presented(on day: LocalDay) -> GoalRecord {
        var shown = record
        if let target = record.target {
            let amounts = Timeline(
                firstAmount ?? target.amount,
                changes: record.changes.compactMap { change in
                    LocalDay(parsing: change.from).map { Timeline.Change(from: $0, value: change.amount) }
                })
            shown.target = GoalAmount(amount: amounts.value(on: day), unit: target.unit)
        }
        let schedules = Timeline(
            firstSchedule,
            changes: record.schedules.compactMap { change in
                LocalDay(parsing: change.from).map { Timeline.Change(from: $0, value: change.schedule) }
            })
        shown.schedule = schedules.value(on: day)
        shown.skips = Array(record.skips.prefix(400))
        return shown
    }
}

/// Computes the progress of one goal from its rows.
struct GoalProgressing {
    /// Days of a reply at most.
    static let maxDays = 4000
    /// Windows of a reply at most.
    static let maxWindows = 400

    private let goal: GoalRecord
    private var question: ProgressQuestion
    /// The unit of the figures; nil for numbers of actions, windows or days.
    private let unit: String?

    /// The last day whose actions matter.
    var lastDay: LocalDay { question.today }

    /// Prepares a goal. Nil if its days or its target make no sense, as those of other programs may.
    ///
    /// A goal without a start begins with its entry in the log, one without an end lasts until the day. A goal without a
    /// target counts actions towards one.
    init?(_ stored: StoredGoal, rule dayRule: DayRule, on day: LocalDay) {
        let record = stored.record
        goal = record
        let logged = GoalTime.stamp(
            start: nil, logTime: record.logTime, rule: dayRule, now: GoalService.clock()
        ).stamp.day
        let end = record.targetDate.flatMap { LocalDay(parsing: $0) }
        let start = record.startDate.flatMap { LocalDay(parsing: $0) } ?? min(logged, end ?? logged)
        var last = end ?? max(day, start)
        if end == nil, let weeks = record.expectedTermLength, (1...520).contains(weeks) {
            last = start.adding(weeks * 7 - 1)
        }
        guard var rule = try? record.rule.rule() else { return nil }
        var target = Timeline(Rational.one)
        if let wanted = record.target {
            guard let first = Rational(stored.firstAmount ?? wanted.amount) else { return nil }
            target = Timeline(
                first,
                changes: record.changes.compactMap { change in
                    guard let day = LocalDay(parsing: change.from), let amount = Rational(change.amount) else {
                        return nil
                    }
                    return Timeline.Change(from: day, value: amount)
                })
        } else if rule == .sum {
            rule = .count
        }
        guard let first = try? stored.firstSchedule.schedule() else { return nil }
        let schedule = Timeline(
            first,
            changes: record.schedules.compactMap { change in
                guard let day = LocalDay(parsing: change.from), let schedule = try? change.schedule.schedule() else {
                    return nil
                }
                return Timeline.Change(from: day, value: schedule)
            })
        switch rule {
        case .sum, .average: unit = record.target?.unit
        case .count, .each, .streak: unit = nil
        }
        question = ProgressQuestion(
            rule: rule, target: target, start: start, end: last, today: day, entries: [],
            skips: Set(record.skips.compactMap { LocalDay(parsing: $0) }), schedule: schedule)
    }

    /// The progress for lists, without days and windows; nil if the rules refuse it.
    func summary(_ entries: [ProgressQuestion.Entry]) -> GoalProgress? {
        try? checkedProgress(entries, withDays: false)
    }

    /// The progress.
    ///
    /// - Throws: ``InvalidFields`` for days or amounts beyond the limits.
    func checkedProgress(
        _ entries: [ProgressQuestion.Entry], withDays: Bool = true
    ) throws(InvalidFields) -> GoalProgress {
        var question = question
        question.entries = entries
        let progress = try Progress(of: question)
        let today = question.today
        let isWithin = question.start <= today && today <= question.end
        var days: [LocalDay: (total: Double, count: Int)] = [:]
        var counted = 0
        var isDone = false
        for entry in entries where question.start <= entry.day && entry.day <= min(question.end, today) {
            if withDays {
                days[entry.day, default: (0, 0)].total += entry.amount.doubleValue
                days[entry.day, default: (0, 0)].count += entry.count
            }
            counted += entry.count
            isDone = isDone || entry.day == today
        }
        let projection = progress.projection.map { projection in
            GatewayAPI.GoalProjection(
                estimate: projection.estimate, lower: projection.lower,
                upper: projection.upper.flatMap { $0.isFinite ? $0 : nil },
                reachedOn: projection.reachedOn?.description)
        }
        return GoalProgress(
            day: today.description, start: question.start.description, end: question.end.description, unit: unit,
            achieved: progress.achieved.doubleValue, needed: progress.needed.doubleValue,
            fraction: progress.fraction.doubleValue, elapsed: progress.elapsed.doubleValue,
            status: progress.status.rawValue,
            pace: progress.pace.map { GoalPace(actual: $0.actual.doubleValue, required: $0.required?.doubleValue) },
            projection: projection, currentStreak: progress.currentStreak, score: progress.score, entries: counted,
            isDone: isDone,
            isDue: isWithin && question.schedule.value(on: today).isDue(on: today) && !question.skips.contains(today),
            days: withDays
                ? days.sorted { $0.key < $1.key }.suffix(Self.maxDays).map {
                    GoalDay(day: $0.key.description, total: $0.value.total, count: $0.value.count)
                } : nil,
            windows: withDays
                ? progress.windows.suffix(Self.maxWindows).map {
                    GoalWindow(first: $0.first.description, last: $0.last.description, result: $0.result.rawValue)
                } : nil)
    }
}
