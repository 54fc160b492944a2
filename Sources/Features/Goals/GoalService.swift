package import Database
package import GatewayAPI
package import GoalRoom
package import Goals
package import Schedules
package import Storage
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Goals, actions, values, terms and measures: checks what is written and computes what follows.
package struct GoalService: Sendable {
    /// Goals of ``today(zone:)`` at most.
    static let maxToday = 100

    package let store: GoalRoom
    let notes: any NoteBook
    let zones: ZoneDatabase
    /// The person's zone and day start, unless a request names others.
    package let rule: DayRule
    /// Whether what was read without doubt is logged without a confirmation.
    package let confirmsAtOnce: Bool
    /// Reads what the parser leaves; nil without a model.
    let model: UtteranceModel?
    let cache = ProgressCache()
    let imports = ImportGate()
    /// The clock.
    package let now: @Sendable () -> Instant

    /// Creates the service. An unknown zone of the settings is an error at start.
    ///
    /// - Parameters:
    ///   - goals: The goals of a person with these days.
    ///   - notes: The notes that reviews cite.
    /// - Throws: ``ScheduleError``, ``InvalidFields``.
    package init(
        goals: (DayRule) -> GoalRoom, notes: any NoteBook, zone: String?, dayStart: Int, confirmsAtOnce: Bool,
        model: UtteranceModel? = nil,
        zones: ZoneDatabase = ZoneDatabase(), now: @escaping @Sendable () -> Instant = GoalService.clock
    ) throws {
        self.zones = zones
        let rules: ZoneRules
        if let zone {
            rules = try zones.rules(zone)
        } else {
            // A machine without zone data, or with a zone of no name, has days of UTC.
            rules = (try? zones.rules(Self.machineZone)) ?? .utc
        }
        guard let rule = DayRule(zone: rules, startMinute: dayStart) else {
            throw InvalidFields("goals_day_start", expected: "0 to 1439", got: "\(dayStart)")
        }
        self.rule = rule
        store = goals(rule)
        self.notes = notes
        self.confirmsAtOnce = confirmsAtOnce
        self.model = model
        self.now = now
    }

    /// The current time.
    package static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
    }

    /// The name of this machine's zone: what `/etc/localtime` points to.
    private static var machineZone: String {
        let link = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/etc/localtime")) ?? ""
        let parts = link.split(separator: "/").map(String.init)
        guard let folder = parts.lastIndex(of: "zoneinfo"), folder + 1 < parts.count else { return "UTC" }
        return parts[(folder + 1)...].joined(separator: "/")
    }

    /// The rule of a request.
    ///
    /// - Throws: ``InvalidFields`` for an unknown zone.
    package func rule(zone: String?, dayStart: Int? = nil) throws(InvalidFields) -> DayRule {
        var rules = rule.zone
        if let zone {
            do {
                rules = try zones.rules(zone)
            } catch {
                throw InvalidFields("zone", expected: "an IANA name such as Europe/Berlin", got: zone)
            }
        }
        guard let rule = DayRule(zone: rules, startMinute: dayStart ?? rule.startMinute) else {
            throw InvalidFields("day_start", expected: "0 to 1439", got: "\(dayStart ?? 0)")
        }
        return rule
    }

    /// The person's current day.
    package func today(_ rule: DayRule? = nil) -> LocalDay { (rule ?? self.rule).day(of: now()) }

    /// The current time as the tables have it.
    var logTime: String { "\(Instant(seconds: now().seconds))" }

    // MARK: Goals

    /// Returns a page of goals, with their progress if it is wanted.
    package func goals(
        _ filter: GoalFilter, withProgress: Bool, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<GoalRecord> {
        let page = try await store.goals.list(filter, after: cursor, limit: limit)
        let today = today()
        var items = page.items.map { $0.presented(on: today) }
        if withProgress {
            for (index, progress) in try await summaries(of: page.items, on: today).enumerated() {
                items[index].progress = progress
            }
        }
        return Page(items: items, next: page.next)
    }

    /// Returns a goal with its progress.
    package func goal(_ id: String) async throws -> GoalRecord {
        try await present(try await store.goals.find(id))
    }

    func present(_ goal: StoredGoal) async throws -> GoalRecord {
        let today = today()
        var record = goal.presented(on: today)
        let matching = try await matching()
        record.progress = try await summaries(of: [goal], on: today).first ?? nil
        record.progress?.matching = matching
        return record
    }

    /// What is still being matched; nil when nothing is. Asked before rows are read, so that it holds for them.
    package func matching() async throws -> MatchingState? {
        let waiting = try await store.matches.waiting()
        return waiting > 0 ? MatchingState(waiting: waiting) : nil
    }

    /// Returns the progress of a goal on a day, with its days and windows.
    ///
    /// - Throws: ``InvalidFields`` for a goal whose days or target make no progress.
    package func progress(of id: String, on day: LocalDay?, zone: String?) async throws -> GoalProgress {
        let goal = try await store.goals.find(id)
        let rule = try rule(zone: zone)
        let day = day ?? today(rule)
        guard let computing = GoalProgressing(goal, rule: rule, on: day) else {
            throw InvalidFields("target_date", expected: "a day after the start", got: goal.record.targetDate ?? "")
        }
        let matching = try await matching()
        let entries = try await store.goals.entries(of: goal.record.id, until: computing.lastDay)
        var progress = try computing.checkedProgress(entries)
        progress.matching = matching
        return progress
    }

    package func add(_ body: GoalBody, _ context: GoalContext) async throws -> (goal: GoalRecord, isNew: Bool) {
        let record = try draft(body)
        let added = try await store.goals.add(record, context)
        return (try await present(added.goal), added.isNew)
    }

    /// The goal that a body describes.
    func draft(_ body: GoalBody) throws -> GoalRecord {
        var record = GoalRecord(
            id: try body.id.value.map { try EntityID(checking: $0).description } ?? newID(), kind: "goal", title: "",
            logTime: logTime, importance: 5, urgency: 5, rule: GoalRuleBody(kind: "sum"),
            schedule: GoalScheduleBody(kind: "daily"), version: 0)
        try body.apply(to: &record)
        try record.check()
        return record
    }

    /// Changes a goal. A changed target or schedule counts from today or later; earlier days keep theirs.
    package func change(goal id: String, _ body: GoalBody, _ context: GoalContext) async throws -> GoalRecord {
        let today = today()
        let from = try body.from.value.map { try LocalDay(checking: $0, "from") } ?? today
        guard from >= today else {
            throw InvalidFields("from", expected: "today (\(today)) or later", got: "\(from)")
        }
        let changed = try await store.goals.change(id, from: from, context) { stored in
            var record = stored.record
            try body.apply(to: &record)
            if let old = stored.record.target, let new = record.target, old.unit != new.unit {
                throw InvalidFields(
                    "target", expected: "the unit \(old.unit): another unit needs another goal", got: new.unit)
            }
            try record.check()
            return record
        }
        return try await present(changed)
    }

    /// Skips a day, or takes it back: today or later, or one of the seven days before.
    package func skip(_ day: LocalDay, of id: String, isSkipped: Bool, _ context: GoalContext) async throws
        -> GoalRecord
    {
        let first = today().adding(-7)
        guard day >= first else {
            throw InvalidFields("day", expected: "\(first) or later", got: "\(day)")
        }
        return try await present(try await store.goals.skip(day, of: id, isSkipped: isSkipped, context))
    }

    /// Returns what is due today and what was logged.
    package func today(zone: String?) async throws -> GoalsToday {
        let rule = try rule(zone: zone)
        let today = today(rule)
        var running = GoalFilter()
        running.on = today
        var logged = ActionFilter()
        (logged.from, logged.to) = (today, today)
        let matching = try await matching()
        let goals = try await goals(running, withProgress: true, after: nil, limit: Self.maxToday)
        let actions = try await store.actions.list(
            logged, after: nil, limit: Self.maxToday, withContributions: true)
        let terms = try await terms(on: today, after: nil, limit: 20)
        let open = try await store.proposals.list(
            state: "open", now: now().milliseconds, after: nil, limit: GoalProposals.maxListed)
        return GoalsToday(
            day: today.description, zone: rule.zone.name, dayStart: rule.startMinute, goals: goals.items,
            actions: actions.items, terms: terms.items, questions: try await store.matches.countQuestions(),
            proposals: open.items.count, matching: matching)
    }

    func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return EntityID(using: &generator).description
    }
}
