import Database
import Foundation
import GRDB
import GatewayAPI
import GoalRoom
import Goals
import Schedules
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Goals in a file and on a server: the same writes give the same rows, matches and history.
@Suite(.serialized) struct GoalRoomTests {
    private static let (goal, run, value, term) = (uuid(1), uuid(2), uuid(3), uuid(4))

    private static func uuid(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + number).suffix(12))
    }

    /// An empty store with its goals; nil where there can be no server.
    private func stage(_ place: NotesPlace) async throws -> (
        room: GoalRoom, store: any GatewayStore, stage: StoreStage
    )? {
        let rule = try #require(DayRule(zone: .utc))
        guard let stage = try await StoreStage(place) else { return nil }
        if let file = stage.store as? GatewayDatabase { return (file.goals(rule: rule), file, stage) }
        return (GoalRoom(stage.store, rule: rule), stage.store, stage)
    }

    private func context(_ turn: String) -> GoalContext { GoalContext(turn: turn, actor: "tester", reason: "why") }

    private func goal(_ id: String = Self.goal, _ title: String = "Läufe", amount: Double = 100) -> GoalRecord {
        var record = GoalRecord(
            id: id, kind: "smart", title: title, logTime: "2026-11-01T00:00:00Z", importance: 7, urgency: 3,
            rule: GoalRuleBody(kind: "sum"), schedule: GoalScheduleBody(kind: "daily"), version: 0)
        record.target = GoalAmount(amount: amount, unit: "km")
        (record.startDate, record.targetDate) = ("2026-11-01", "2026-11-30")
        (record.relevance, record.keywords) = ("Health", ["run"])
        return record
    }

    private func action(_ id: String = Self.run, _ title: String = "Run", _ amount: Double = 0.1) -> ActionRecord {
        var record = ActionRecord(
            id: id, logTime: "2026-11-20T07:00:00Z", day: "2026-11-20", zone: "UTC", dayStart: 0, version: 0)
        record.title = title
        record.amounts = [GoalAmount(amount: amount, unit: "km")]
        record.durationMinutes = 0.1 + 0.2
        return record
    }

    private let noon = Instant(seconds: 1_795_176_000)

    /// Writes a row of each kind.
    private func fill(_ room: GoalRoom) async throws {
        var value = ValueRecord(
            id: Self.value, kind: "major", title: "Health", logTime: "2026-11-01T00:00:00Z", priority: 3, version: 0)
        value.notes = "Gesundheit"
        #expect(try await room.values.add(value, context("a")).isNew)
        var record = goal()
        record.values = [GoalValueLink(value: Self.value, alignment: 8, notes: nil)]
        record.reminder = GoalReminder(at: "19:30", weekdays: [1, 3])
        let added = try await room.goals.add(record, context("a"))
        #expect(added.isNew && added.goal.record.values.count == 1 && added.goal.record.reminder?.at == "19:30")
        #expect(try await !room.goals.add(record, context("a")).isNew)
        let term = TermRecord(
            id: Self.term, number: 1, startDate: "2026-11-01", targetDate: "2027-01-09", status: "active",
            weeks: 10, version: 0)
        var withGoal = term
        withGoal.goals = [Self.goal]
        _ = try await room.terms.add(withGoal, context("a"))
        _ = try await room.measures.add(
            MeasureRecord(
                id: Self.uuid(5), unit: "mi", logTime: "2026-11-01T00:00:00Z", kind: "distance", canonicalUnit: "m",
                conversionFactor: 1609.344, version: 0), context("a"))
        #expect(try await room.actions.add(action(), at: noon, context("b")).isNew)
        _ = try await room.actions.add(action(Self.uuid(6), "Walk", 3), at: noon, context("b"))
    }

    @Test(arguments: NotesPlace.allCases)
    func `rows of each kind are written, found, changed and deleted`(_ engine: NotesPlace) async throws {
        guard let (room, _, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        try await fill(room)
        var filter = GoalFilter()
        (filter.text, filter.kind, filter.on) = ("LÄUFE", "smart", LocalDay(parsing: "2026-11-20"))
        (filter.term, filter.value, filter.reminds) = (Self.term.lowercased(), Self.value, true)
        let found = try #require(try await room.goals.list(filter, after: nil, limit: 5).items.first)
        #expect(found.record.id == Self.goal && found.record.terms == [Self.term] && found.record.version > 0)
        filter.text = "Rudern"
        #expect(try await room.goals.list(filter, after: nil, limit: 5).items.isEmpty)
        let day = try #require(LocalDay(parsing: "2026-11-22"))
        let changed = try await room.goals.change(Self.goal, from: day, context("c")) { stored in
            var record = stored.record
            record.target?.amount = 120
            record.schedule = GoalScheduleBody(kind: "weekdays", weekdays: [1, 2])
            return record
        }
        #expect(changed.record.changes == [GoalTargetChange(from: "2026-11-22", amount: 120)])
        #expect(changed.firstAmount == 100 && changed.record.schedules.count == 1)
        #expect(try await room.goals.skip(day, of: Self.goal, isSkipped: true, context("c")).record.skips.count == 1)
        var actions = ActionFilter()
        (actions.text, actions.goal) = ("rUn", Self.goal.lowercased())
        let page = try await room.actions.list(actions, after: nil, limit: 5, withContributions: true)
        #expect(page.items.map(\.id) == [Self.run] && page.items.first?.contributions?.first?.amount == 0.1)
        #expect(page.items.first?.durationMinutes == 0.1 + 0.2)
        let first = try await room.actions.list(ActionFilter(), after: nil, limit: 1)
        let second = try await room.actions.list(ActionFilter(), after: first.next, limit: 1)
        #expect(first.items.map(\.id) == [Self.uuid(6)] && second.items.map(\.id) == [Self.run] && second.next == nil)
        #expect(
            try await room.values.list(containing: "gesund", after: nil, limit: 5).items.first?.goals == [Self.goal])
        #expect(try await room.terms.list(on: day, after: nil, limit: 5).items.first?.goals == [Self.goal])
        #expect(try await room.terms.latest()?.number == 1)
        #expect(try await room.terms.find(number: nil)?.id == Self.term)
        await #expect(throws: StorageError.self) { try await room.terms.add(term(2, number: 1), context("d")) }
        #expect(try await room.terms.find(Self.term).overlapping == [])
        #expect(try await room.measures.list(after: nil, limit: 5).items.map(\.conversionFactor) == [1609.344])
        try await room.delete("measures", Self.uuid(5), context("d"))
        await #expect(throws: StorageError.self) { try await room.delete("measures", Self.uuid(5), context("d")) }
    }

    private func term(_ id: Int, number: Int) -> TermRecord {
        TermRecord(
            id: Self.uuid(id + 100), number: number, startDate: "2027-02-01", targetDate: "2027-03-01", status: "",
            weeks: 4, version: 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `each change is recorded with its values and undone to the last bit`(_ engine: NotesPlace) async throws {
        guard let (room, store, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        try await fill(room)
        let before = try await room.transfer.export()
        let last = try #require(try await room.history.list(GoalHistoryFilter(), after: nil, limit: 1).items.first)
        _ = try await room.goals.change(Self.goal, from: try LocalDay(checking: "2026-11-22", "day"), context("edit")) {
            var record = $0.record
            (record.title, record.importance) = ("Runs", 1)
            record.target?.amount = 1e300
            (record.expectedTermLength, record.values, record.reminder) = (10, [], nil)
            return record
        }
        try await room.delete("terms", Self.term, context("edit"))
        _ = try await room.actions.change(Self.run, context("edit")) { stored in
            var record = stored
            record.durationMinutes = nil
            return (record, nil)
        }
        var filter = GoalHistoryFilter()
        filter.turn = "edit"
        let changes = try await room.history.list(filter, after: nil, limit: 50).items
        #expect(changes.allSatisfy { $0.actor == "tester" && $0.reason == "why" })
        let fields = try #require(changes.first { $0.table == "goals" }).fields.map {
            [$0.column, "\($0.old ?? .null)", "\($0.new ?? .null)"]
        }
        #expect(
            Set(fields) == [
                ["title", "\(JSONValue.string("Läufe"))", "\(JSONValue.string("Runs"))"],
                ["measurement_target", "\(JSONValue.number(100))", "\(JSONValue.number(1e300))"],
                ["expected_term_length", "\(JSONValue.null)", "\(JSONValue.integer(10))"],
            ])
        let duration = changes.flatMap(\.fields).first { $0.column == "duration_minutes" }
        #expect(duration?.old == .number(0.1 + 0.2) && duration?.new == .null)
        #expect(try await room.history.goal(Self.goal, at: .change(last.number)).record.reminder?.at == "19:30")
        #expect(try await room.history.term(Self.term.lowercased(), at: .change(last.number)).goals == [Self.goal])
        #expect(try await room.history.action(Self.run, at: .change(last.number)).durationMinutes == 0.1 + 0.2)
        #expect(try await room.history.value(Self.value, at: .change(last.number)).priority == 3)
        #expect(try await room.history.measure(Self.uuid(5), at: .change(last.number)).unit == "mi")
        await #expect(throws: StorageError.self) { try await room.history.goal(Self.goal, at: .time(0)) }
        _ = try await room.history.undo(.turn("edit"), context("undo"))
        #expect(try await room.transfer.export() == before)
        await #expect(throws: StorageError.self) { try await room.history.undo(.turn("edit"), context("undo")) }
        // Each resource by its tables.
        filter = GoalHistoryFilter()
        filter.resource = "terms"
        let terms = try await room.history.list(filter, after: nil, limit: 50).items
        #expect(Set(terms.map(\.table)) == ["terms", "gateway_goal_terms", "term_goal_assignments"])
        filter.id = Self.term
        #expect(try await room.history.list(filter, after: nil, limit: 50).items.count == terms.count)
        #expect(try await store.rows("SELECT count(*) FROM gateway_goal_context", []).first?.count(0) == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `another program's rows get a day, count, and are recorded without a writer`(_ engine: NotesPlace) async throws
    {
        guard let (room, store, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        _ = try await room.goals.add(goal(), context("a"))
        try await store.run(
            """
            INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount)
            VALUES ($1, 'Run', '2026-11-21T23:30:00Z', $2)
            """, [.text(Self.run), .text(#"{"km": 5}"#)])
        let found = try await room.actions.find(Self.run)
        #expect(found.day == "2026-11-21" && found.contributions?.map(\.amount) == [5])
        try await store.run("UPDATE goals SET measurement_target = 50 WHERE uuid_id = $1", [.text(Self.goal)])
        let target = try await room.goals.find(Self.goal)
        #expect(target.record.target?.amount == 50 && target.firstAmount == 100 && target.record.changes.count == 1)
        try await store.run("DELETE FROM actions WHERE uuid_id = $1", [.text(Self.run)])
        try await room.matchChanges()
        #expect(try await room.matches.all().isEmpty)
        var filter = GoalHistoryFilter()
        filter.id = Self.run
        let changes = try await room.history.list(filter, after: nil, limit: 9).items
        #expect(changes.filter { $0.table == "actions" }.map(\.operation) == ["delete", "insert"])
        #expect(changes.filter { $0.table == "actions" }.allSatisfy { $0.actor == nil && $0.turn == nil })
    }

    @Test(arguments: NotesPlace.allCases)
    func `matches follow each change, as computed from scratch`(_ engine: NotesPlace) async throws {
        guard let (room, _, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        try await fill(room)
        for number in 0..<40 {
            var record = action(Self.uuid(1000 + number), number.isMultiple(of: 3) ? "Swim" : "run", 0.1)
            record.day = "2026-11-\(10 + number % 9)"
            _ = try await room.actions.add(record, at: noon, context("more"))
        }
        let day = try LocalDay(checking: "2026-11-30", "day")
        let entries = try await room.goals.entries(of: Self.goal, until: day)
        #expect(entries.reduce(0) { $0 + $1.count } == 27)
        let revisions = try await room.matches.revisions(of: [Self.goal])
        let questions = try await room.matches.questions(forGoal: Self.goal, after: nil, limit: 3)
        #expect(try await room.matches.countQuestions() >= questions.items.count)
        let walk = try await room.matches.decide(
            "counted", amount: 2, action: Self.uuid(6), goal: Self.goal, context("decide"))
        #expect(walk.contributions?.map(\.amount) == [2] && walk.contributions?.first?.method != nil)
        #expect(try await room.matches.revisions(of: [Self.goal]) != revisions)
        _ = try await room.goals.change(Self.goal, from: day, context("narrow")) {
            var record = $0.record
            record.startDate = "2026-11-14"
            return record
        }
        let version = try await room.matches.version()
        let rows = try await room.matches.all()
        let rebuilt = try await room.matches.rebuild()
        #expect(rebuilt.changed == 0 && rebuilt.contributions > 10)
        #expect(try await room.matches.all() == rows)
        #expect(try await room.matches.version() != version)
        #expect(try await room.matches.waiting() == 0)
        #expect(try await !room.matches.look().isDue)
        try await room.delete("goals", Self.goal, context("gone"))
        #expect(try await room.matches.all().isEmpty)
        _ = try await room.history.undo(.turn("gone"), context("back"))
        #expect(try await room.matches.all() == rows)
    }

    @Test(arguments: NotesPlace.allCases)
    func `meanings that are alike ask, and a vector is kept for its space`(_ engine: NotesPlace) async throws {
        guard let (room, _, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        let space = GoalSpace(id: 7, dimensions: 2)
        try await room.meanings.use(space)
        var record = goal(Self.goal, "Endurance")
        record.keywords = []
        _ = try await room.goals.add(record, context("a"))
        let jog = try await room.actions.add(action(Self.run, "Jogging", 5), at: noon, context("a")).action
        let missing = try await room.meanings.missing(limit: 9)
        #expect(Set(missing.map(\.text)) == ["Endurance", "Jogging"])
        // Ten degrees apart: 96 % of the way from 0.6 to 1.
        try await room.meanings.store(
            missing.map { ($0.hash, $0.text == "Jogging" ? [2.954_423, 0.520_945] : [1, 0]) }, in: space)
        #expect(try await room.meanings.missing(limit: 9).isEmpty)
        let likeness = try await room.meanings.similarities(of: [(jog, record)])
        #expect(abs((likeness.compactMap(\.self).first ?? 0) - 0.962) < 0.001)
        #expect(try await room.matches.countQuestions() == 1)
        try await room.meanings.store(missing.map { ($0.hash, [0, 1]) }, in: GoalSpace(id: 8, dimensions: 2))
        #expect(try await room.meanings.similarities(of: [(jog, record)]) == likeness)
        try await room.meanings.use(nil)
        #expect(try await room.meanings.similarities(of: [(jog, record)]) == [nil])
        #expect(try await room.matches.countQuestions() == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `an export of a file is the same after its import`(_ engine: NotesPlace) async throws {
        guard let (file, _, first) = try await stage(.file), let (room, _, folder) = try await stage(engine) else {
            return
        }
        defer { withExtendedLifetime((first, folder)) {} }
        try await fill(file)
        _ = try await file.matches.decide("rejected", amount: nil, action: Self.run, goal: Self.goal, context("d"))
        let text = try await file.transfer.export().joined()
        let report = try await room.transfer.importLines(Array(text.utf8), context("import"))
        #expect(report.refusals == 0, "\(report.refused)")
        #expect(try await room.transfer.export().joined() == text)
        #expect(try await room.matches.all() == file.matches.all())
        let again = try await room.transfer.importLines(Array(text.utf8), context("again"))
        #expect(again.added.isEmpty && again.refusals == 0 && again.same == report.added.values.reduce(0, +))
        let taken = """
            {"table":"terms","row":{"uuid_id":"\(Self.uuid(9))","term_number":1,"start_date":"2027-01-10","target_date":"2027-02-01"}}
            {"table":"terms","row":{"uuid_id":"\(Self.uuid(8))","term_number":2}}
            {"table":"terms","row":{"uuid_id":"\(Self.uuid(7))","title":"","term_number":3,"start_date":"2027-03-01","target_date":"2027-04-01"}}
            """
        let refused = try await room.transfer.importLines(Array(taken.utf8), context("taken"))
        #expect(refused.refused.map(\.row) == [Self.uuid(9), Self.uuid(8)] && refused.added == ["terms": 1])
        #expect(try await room.history.undo(.turn("import"), context("undo")).count > 10)
        #expect(try await room.goals.list(GoalFilter(), after: nil, limit: 9).items.isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `proposals wait for a person, and summaries are kept`(_ engine: NotesPlace) async throws {
        guard let (room, _, folder) = try await stage(engine) else { return }
        defer { withExtendedLifetime(folder) {} }
        func proposal(_ number: Int, _ key: String?) -> StoredProposal {
            StoredProposal(
                id: Self.uuid(number), createdAt: Int64(number), expiresAt: Int64(number + 10), state: "open",
                turnKey: key, body: "{}")
        }
        #expect(try await room.proposals.add(proposal(1, "k")).id == Self.uuid(1))
        #expect(try await room.proposals.add(proposal(2, "k")).id == Self.uuid(1))
        #expect(try await room.proposals.find(turnKey: "k")?.id == Self.uuid(1))
        for number in 2...6 { _ = try await room.proposals.add(proposal(number, nil)) }
        let page = try await room.proposals.list(state: "open", now: 13, after: nil, limit: 2)
        let rest = try await room.proposals.list(state: "open", now: 13, after: page.next, limit: 2)
        #expect(page.items.map(\.createdAt) == [6, 5] && rest.items.map(\.createdAt) == [4])
        #expect(try await room.proposals.list(state: "expired", now: 13, after: nil, limit: 9).items.count == 3)
        #expect(try await room.proposals.resolve(Self.uuid(6), as: "confirmed", body: "[]").body == "[]")
        #expect(try await room.proposals.resolve(Self.uuid(6), as: "confirmed", body: nil).body == "[]")
        await #expect(throws: StorageError.self) {
            try await room.proposals.resolve(Self.uuid(6), as: "rejected", body: nil)
        }
        _ = try await room.goals.add(goal(), context("a"))
        let summaries = [
            GoalSummary(goal: Self.goal, stamp: "s", body: "{}"), GoalSummary(goal: "gone", stamp: "", body: ""),
        ]
        for _ in 0..<2 { try await room.summaries.keep(summaries) }
        #expect(try await room.summaries.find([Self.goal, "gone"]) == [Self.goal: summaries[0]])
    }
}
