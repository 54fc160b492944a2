import Database
import Foundation
import GRDB
import GatewayAPI
import GoalRoom
import GoalTracking
import Storage
import TestSupport
import Testing

/// Import and export: everything comes back, to the byte.
@Suite struct GoalTransfers {
    private func export(_ person: Person, asCSV: Bool = false) async throws -> String {
        try await person.service.export(asCSV: asCSV).joined()
    }

    @Test func `an export imports into the same bytes, and a second time adds nothing`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        _ = try await person.log("Run, \"fast\"\nand far", [GoalAmount(amount: 0.1 + 0.2, unit: "km")])
        var term = TermBody()
        (term.theme, term.reflection) = (.set("Ruhe"), .set("More mornings,\n\"fewer\" plans. 🌿"))
        let planned = try await person.service.add(term, person.turn()).term
        var value = ValueBody()
        value.title = .set("Gesundheit 🌱")
        _ = try await person.service.add(value, person.turn())
        var measure = MeasureBody()
        measure.unit = .set("km")
        #expect(try await person.service.add(measure, person.turn()).measure.conversionFactor == 1000)
        var change = GoalBody()
        change.target = .set(GoalAmount(amount: 120.5, unit: "km"))
        change.reminder = .set(GoalReminder(at: "19:30", weekdays: [5, 1]))
        change.schedule = .set(GoalScheduleBody(kind: "weekdays", weekdays: [1, 3]))
        _ = try await person.service.change(goal: goal.id, change, person.turn())
        let lines = try await export(person)
        #expect(lines.contains(#""{\"km\": 0.30000000000000004}""#))

        let other = try Person()
        let first = try await other.service.importAll(Array(lines.utf8), other.turn("import"))
        #expect(first.format == "jsonl" && first.refusals == 0, "\(first.refused)")
        #expect(try await export(other) == lines)
        let came = try await other.service.goal(goal.id)
        #expect(came.progress?.entries == 1 && came.reminder == GoalReminder(at: "19:30", weekdays: [1, 5]))
        #expect(try await other.service.term(planned.id).reflection == term.reflection.value)
        let again = try await other.service.importAll(Array(lines.utf8), other.turn("again"))
        #expect(again.added.isEmpty && again.same == first.added.values.reduce(0, +))
        // The import is one turn.
        _ = try await other.service.undo(GoalUndo(turn: "import"), other.turn("undo"))
        #expect(try await export(other).split(separator: "\n").count == 1)
    }

    @Test func `CSV comes back to the byte, and lines that make no sense are named`() async throws {
        let person = try Person()
        _ = try await person.log("Run, \"fast\"\nand far", [GoalAmount(amount: 5.25, unit: "km")])
        _ = try await person.log(
            "Read", [GoalAmount(amount: 1, unit: "chapters"), GoalAmount(amount: 20, unit: "pages")])
        let text = try await export(person, asCSV: true)
        let other = try Person()
        let report = try await other.service.importAll(Array(text.utf8), other.turn())
        #expect(report.format == "csv" && report.added == ["actions": 2], "\(report)")
        #expect(try await export(other, asCSV: true) == text)

        let plain =
            "day,title,amounts\n2026-11-20,Run,5 km\n2026-02-30,Run,5 km\n2027-01-01,Run,5 km\n2026-11-20,Run,-1 km\n"
        let mixed = try await other.service.importAll(Array(plain.utf8), other.turn())
        #expect(mixed.added == ["actions": 1] && mixed.refusals == 3)
        #expect(mixed.refused.map(\.row) == ["3", "4", "5"])
        #expect(try await other.service.importAll(Array(plain.utf8), other.turn()).same == 1)
        for wrong in ["title\nRun\n", "day,nonsense\n2026-11-20,x\n"] {
            await #expect(throws: (any Error).self) {
                try await other.service.importAll(Array(wrong.utf8), other.turn())
            }
        }
    }

    @Test func `no field of CSV is a formula, and an import reads each as it was`() async throws {
        let person = try Person()
        let titles = [
            "=HYPERLINK(\"http://x\")", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\r=1", "＝1+1", "'=1",
            "''@x",
        ]
        for title in titles { _ = try await person.log(title) }
        // Numbers and other texts stay what they are.
        for title in ["-5", "+4912", "'tis", "a=b", "'"] { _ = try await person.log(title) }
        let text = try await export(person, asCSV: true)
        for title in ["=HYPERLINK", "+1+cmd", "-2+3", "@SUM", "\tx", "\r=1", "＝1"] {
            #expect(text.contains("'\(title)"), "\(title)")
        }
        for plain in [",-5,", ",+4912,", ",'tis,", ",a=b,", ",',"] { #expect(text.contains(plain), "\(plain)") }
        let other = try Person()
        #expect(try await other.service.importAll(Array(text.utf8), other.turn()).refusals == 0)
        #expect(try await export(other, asCSV: true) == text)
        let back = try await other.service.store.actions.list(ActionFilter(), after: nil, limit: 50).items
        #expect(Set(titles).isSubset(of: back.compactMap(\.title)))
    }

    @Test(.slow) func `one import runs at a time, and rows have a limit`() async throws {
        let person = try Person()
        let first = Task {
            let text = "day,title\n" + (1...2000).map { "2026-11-20,Run \($0)\n" }.joined()
            return try await person.service.importAll(Array(text.utf8), person.turn("first"))
        }
        var added = 0
        while added == 0 {
            added = try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 1).items.count
        }
        let error = await #expect(throws: StorageError.self) {
            try await person.service.importAll(Array("day,title\n2026-11-20,Run\n".utf8), person.turn())
        }
        #expect(error?.code == .busy)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        // What was added stays, and a next import adds the rest.
        let text = "day,title\n" + (1...50).map { "2026-11-20,Run \($0)\n" }.joined()
        let second = try await person.service.importAll(Array(text.utf8), person.turn())
        #expect(second.same > 0 && second.same + (second.added["actions"] ?? 0) == 50)
        let much = "day,title\n" + String(repeating: "x\n", count: GoalTransferStore.maxRows + 1)
        await #expect(throws: StorageError.self) { try await person.service.importAll(Array(much.utf8), person.turn()) }
    }

    @Test func `both generations of the original database are read`() async throws {
        let person = try Person()
        let python = try Data(contentsOf: database(Self.python, in: person.folder, "python.db"))
        let first = try await person.service.importAll(Array(python), person.turn())
        #expect(first.format == "sqlite-python" && first.refusals == 0, "\(first)")
        #expect(first.added["actions"] == 2 && first.added["goals"] == 1 && first.added["gateway_goal_decisions"] == 1)
        let goal = try await person.service.goal("19E98D77-089A-4348-81F9-9AFC0440BA0B")
        #expect(goal.kind == "smart" && goal.title == "Run 120km" && goal.keywords == ["run"])
        // The run by unit and word, and what the person had counted by hand.
        #expect(goal.progress?.achieved == 5 + 2.5)

        let other = try Person()
        let swift = try Data(contentsOf: database(Self.swift, in: other.folder, "swift.db"))
        let second = try await other.service.importAll(Array(swift), other.turn())
        #expect(second.format == "sqlite-swift" && second.refusals == 0, "\(second)")
        let obligation = try await other.service.goal("BBBBBBBB-0000-4000-8000-000000000002")
        #expect(obligation.kind == "obligation" && obligation.requestedBy == "The bank" && obligation.importance == 9)
        let run = try await other.service.goal("BBBBBBBB-0000-4000-8000-000000000001")
        #expect(run.target == GoalAmount(amount: 100, unit: "km") && run.values.first?.alignment == 8)
        let term = try await other.service.terms(on: nil, after: nil, limit: 1).items
        #expect(term.first?.goals == [run.id] && term.first?.status == "on_hold")
        let actions = try await other.service.store.actions.list(ActionFilter(), after: nil, limit: 5).items
        #expect(actions.first?.amounts == [GoalAmount(amount: 7.5, unit: "km")])
        await #expect(throws: StorageError.self) {
            try await other.service.importAll(Array("SQLite format 3\0garbage".utf8), other.turn())
        }
    }

    private func database(_ sql: String, in folder: URL, _ name: String) throws -> URL {
        let file = folder.appending(path: name)
        let queue = try DatabaseQueue(path: file.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return file
    }

    private static let python = """
        CREATE TABLE actions (uuid_id TEXT PRIMARY KEY, title TEXT, description TEXT, notes TEXT, log_time TEXT NOT NULL,
            measurement_units_by_amount TEXT, start_time TEXT, duration_minutes REAL);
        CREATE TABLE goals (uuid_id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, notes TEXT,
            log_time TEXT NOT NULL, goal_type TEXT NOT NULL DEFAULT 'Goal', measurement_target REAL, measurement_unit TEXT,
            start_date TEXT, target_date TEXT, how_goal_is_relevant TEXT, how_goal_is_actionable TEXT,
            expected_term_length INTEGER);
        CREATE TABLE action_goal_progress (uuid_id TEXT PRIMARY KEY, action_id TEXT NOT NULL, goal_id TEXT NOT NULL,
            contribution REAL NOT NULL, match_method TEXT NOT NULL, confidence REAL, matched_on TEXT);
        INSERT INTO goals VALUES ('19E98D77-089A-4348-81F9-9AFC0440BA0B', 'Run 120km', NULL, NULL,
            '2025-10-10T08:00:00', 'SmartGoal', 120.0, 'km', '2025-10-01T00:00:00', '2025-12-10T00:00:00', 'Health',
            '{"units": ["km"], "keywords": ["run"]}', 10);
        INSERT INTO actions VALUES
            ('550E8400-E29B-41D4-A716-446655440000', 'Morning run', NULL, NULL, '2025-10-11T07:00:00',
                '{"km": 5.0, "minutes": 30}', NULL, 30.0),
            ('550E8400-E29B-41D4-A716-446655440001', 'Walk', NULL, NULL, '2025-10-12T07:00:00', '{"km": 4.0}', NULL, NULL);
        INSERT INTO action_goal_progress VALUES
            ('A', '550E8400-E29B-41D4-A716-446655440000', '19E98D77-089A-4348-81F9-9AFC0440BA0B', 5, 'auto_inferred', 0.9, '[]'),
            ('B', '550E8400-E29B-41D4-A716-446655440001', '19E98D77-089A-4348-81F9-9AFC0440BA0B', 2.5, 'manual', 1, '[]');
        """

    private static let swift = """
        CREATE TABLE actions (id TEXT PRIMARY KEY, title TEXT, detailedDescription TEXT, freeformNotes TEXT,
            logTime TEXT NOT NULL, durationMinutes REAL, startTime TEXT);
        CREATE TABLE expectations (id TEXT PRIMARY KEY, title TEXT, detailedDescription TEXT, freeformNotes TEXT,
            logTime TEXT NOT NULL, expectationType TEXT NOT NULL, expectationImportance INTEGER NOT NULL,
            expectationUrgency INTEGER NOT NULL);
        CREATE TABLE measures (id TEXT PRIMARY KEY, title TEXT, detailedDescription TEXT, freeformNotes TEXT,
            logTime TEXT NOT NULL, unit TEXT NOT NULL, measureType TEXT NOT NULL, canonicalUnit TEXT,
            conversionFactor REAL);
        CREATE TABLE personalValues (id TEXT PRIMARY KEY, title TEXT NOT NULL, detailedDescription TEXT,
            freeformNotes TEXT, logTime TEXT NOT NULL, priority INTEGER NOT NULL, valueLevel TEXT NOT NULL,
            lifeDomain TEXT, alignmentGuidance TEXT);
        CREATE TABLE timePeriods (id TEXT PRIMARY KEY, title TEXT, detailedDescription TEXT, freeformNotes TEXT,
            logTime TEXT NOT NULL, startDate TEXT NOT NULL, endDate TEXT NOT NULL);
        CREATE TABLE goals (id TEXT PRIMARY KEY, expectationId TEXT NOT NULL, startDate TEXT, targetDate TEXT,
            actionPlan TEXT, expectedTermLength INTEGER);
        CREATE TABLE obligations (id TEXT PRIMARY KEY, expectationId TEXT NOT NULL, deadline TEXT NOT NULL,
            requestedBy TEXT, consequence TEXT);
        CREATE TABLE goalTerms (id TEXT PRIMARY KEY, timePeriodId TEXT NOT NULL, termNumber INTEGER NOT NULL, theme TEXT,
            reflection TEXT, status TEXT);
        CREATE TABLE expectationMeasures (id TEXT PRIMARY KEY, expectationId TEXT NOT NULL, measureId TEXT NOT NULL,
            targetValue REAL NOT NULL, freeformNotes TEXT, createdAt TEXT NOT NULL);
        CREATE TABLE measuredActions (id TEXT PRIMARY KEY, actionId TEXT NOT NULL, measureId TEXT NOT NULL,
            value REAL NOT NULL, createdAt TEXT NOT NULL);
        CREATE TABLE goalRelevances (id TEXT PRIMARY KEY, goalId TEXT NOT NULL, valueId TEXT NOT NULL,
            alignmentStrength INTEGER, relevanceNotes TEXT, createdAt TEXT NOT NULL);
        CREATE TABLE termGoalAssignments (id TEXT PRIMARY KEY, termId TEXT NOT NULL, goalId TEXT NOT NULL,
            assignmentOrder INTEGER, createdAt TEXT NOT NULL);
        INSERT INTO measures VALUES ('AAAAAAAA-0000-4000-8000-000000000001', 'Kilometers', 'Metric', NULL,
            '2025-11-01 08:00:00.000', 'km', 'distance', 'm', 1000.0);
        INSERT INTO personalValues VALUES ('CCCCCCCC-0000-4000-8000-000000000001', 'Health', NULL, NULL,
            '2025-11-01 08:00:00.000', 85, 'major', 'Health, Fitness', NULL);
        INSERT INTO expectations VALUES ('EEEEEEEE-0000-4000-8000-000000000001', 'Run far', NULL, NULL,
            '2025-11-01 08:00:00.000', 'goal', 7, 6);
        INSERT INTO expectations VALUES ('EEEEEEEE-0000-4000-8000-000000000002', 'Pay', NULL, NULL,
            '2025-11-01 08:00:00.000', 'obligation', 9, 9);
        INSERT INTO goals VALUES ('BBBBBBBB-0000-4000-8000-000000000001', 'EEEEEEEE-0000-4000-8000-000000000001',
            '2025-11-01 00:00:00.000', '2026-01-31 00:00:00.000', 'Run thrice a week', 10);
        INSERT INTO obligations VALUES ('BBBBBBBB-0000-4000-8000-000000000002', 'EEEEEEEE-0000-4000-8000-000000000002',
            '2025-12-01 00:00:00.000', 'The bank', 'A fee');
        INSERT INTO expectationMeasures VALUES ('F1', 'EEEEEEEE-0000-4000-8000-000000000001',
            'AAAAAAAA-0000-4000-8000-000000000001', 100.0, NULL, '2025-11-01');
        INSERT INTO goalRelevances VALUES ('F2', 'BBBBBBBB-0000-4000-8000-000000000001',
            'CCCCCCCC-0000-4000-8000-000000000001', 8, NULL, '2025-11-01');
        INSERT INTO timePeriods VALUES ('DDDDDDDD-0000-4000-8000-000000000001', 'Winter', NULL, NULL,
            '2025-11-01 08:00:00.000', '2025-11-01 00:00:00.000', '2026-01-10 00:00:00.000');
        INSERT INTO goalTerms VALUES ('DDDDDDDD-0000-4000-8000-000000000002', 'DDDDDDDD-0000-4000-8000-000000000001', 3,
            'Health', NULL, 'on_hold');
        INSERT INTO termGoalAssignments VALUES ('F3', 'DDDDDDDD-0000-4000-8000-000000000002',
            'BBBBBBBB-0000-4000-8000-000000000001', 0, '2025-11-01');
        INSERT INTO actions VALUES ('99999999-0000-4000-8000-000000000001', 'Evening run', NULL, NULL,
            '2025-11-02 18:00:00.000', 40.0, '2025-11-02 17:00:00.000');
        INSERT INTO measuredActions VALUES ('F4', '99999999-0000-4000-8000-000000000001',
            'AAAAAAAA-0000-4000-8000-000000000001', 7.5, '2025-11-02');
        """
}
