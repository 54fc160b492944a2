import Foundation
import GatewayAPI
import Goals
import Notes
import Storage
import TaskRoom
import TestSupport
import Testing

/// Briefings of a person's days.
@Suite struct BriefingOfDay {
    /// A diary with something for every kind of card.
    private func full() throws -> Diary {
        let diary = try Diary()
        try diary.write(
            "INSERT INTO threads (id, name, created_at) VALUES (1, 'Cello', '2025-01-01'), (2, 'Roof', '2026-11-20 08:00:00')",
            "INSERT INTO thread_tasks (id, thread_id, created_at) VALUES (1, 1, '2026-11-20 08:00:00')",
            "INSERT INTO gateway_task_details (task_id, title, due) VALUES (1, 'Call the surveyor', '2026-11-23')")
        try diary.note(1, "Scales", "2026-11-18 10:00:00", thread: 1)
        try diary.note(2, "Bow hold", "2026-11-19 10:00:00", thread: 1)
        try diary.note(3, "Sarabande", "2026-11-22 10:00:00", thread: 1)
        try diary.note(4, "Leak", "2026-11-20 10:00:00", thread: 2)
        // Half past midnight in Berlin is the day before in UTC.
        try diary.note(5, "A year ago", "2025-11-22 23:30:00")
        try diary.note(6, "Not that day", "2025-11-23 23:30:00")
        try diary.note(7, "Old bow", "2024-02-01 10:00:00")
        try diary.note(8, "Recent bow", "2026-09-01 10:00:00")
        try diary.write(
            "INSERT INTO note_associations VALUES (2, 7, 0.91), (2, 8, 0.8), (1, 3, 0.5)")
        return diary
    }

    @Test func `a full diary gives a card of each kind with its notes, reason and question`() async throws {
        let diary = try full()
        let briefing = try await diary.service.make(again: false)
        #expect(briefing.date == "2026-11-23" && briefing.zone == "Europe/Berlin")
        #expect(
            briefing.cards.map(\.kind) == [.openTasks, .newThread, .heatingThread, .nearPair, .onThisDay, .forgotten])
        #expect(briefing.cards.map(\.number) == Array(1...6))
        let cards = Dictionary(uniqueKeysWithValues: briefing.cards.map { ($0.kind, $0) })
        #expect(cards[.openTasks]?.tasks?.map(\.title) == ["Call the surveyor"])
        #expect(cards[.openTasks]?.reason == "1 of them is due by today.")
        #expect(
            cards[.openTasks]?.tasks?.first?.thingsLink
                == "things:///add?title=Call%20the%20surveyor&deadline=2026-11-23")
        #expect(cards[.newThread]?.thread == Note.ThreadReference(id: 2, name: "Roof"))
        #expect(cards[.heatingThread]?.notes.map(\.id) == [3, 2, 1])
        #expect(cards[.heatingThread]?.reason == "3 notes in the last 7 days, 0 in the 4 weeks before.")
        #expect(cards[.nearPair]?.notes.map(\.id) == [2, 8])
        #expect(cards[.onThisDay]?.notes.map(\.id) == [5])
        #expect(cards[.onThisDay]?.reason == "1 note of this day in 2025.")
        #expect(cards[.forgotten]?.notes.map(\.id) == [7, 2])
        #expect(cards[.forgotten]?.reason.contains("2024-02-01") == true)
        for card in briefing.cards {
            #expect(!card.reason.isEmpty && card.question.hasSuffix("?") && briefing.text.contains("[\(card.number)]"))
        }
    }

    @Test func `goals that are due are a card, until they are reached`() async throws {
        let diary = try Diary()
        let open = Locked(["run", "read"])
        let service = BriefingService(
            store: diary.database, rule: diary.service.rule,
            goals: { day in
                open.value.map { BriefingGoal(id: $0, title: "Goal \($0)", detail: "1 of 5 km on \(day)") }
            }, now: diary.now)
        let briefing = try await service.make(again: false)
        let card = try #require(briefing.cards.first)
        #expect(card.kind == .goals && card.title == "2 goals due today" && card.goals?.map(\.id) == ["run", "read"])
        #expect(card.reason == #""Goal run": 1 of 5 km on 2026-11-23 so far and 1 other."#)
        #expect(briefing.text == #"These goals are due today: "Goal run" and "Goal read". [1]"#)
        // What is reached since leaves the stored briefing; what became due since is not in it.
        open.change { $0 = ["read", "write"] }
        let later = try await service.briefing(of: try #require(LocalDay(parsing: "2026-11-23")))
        #expect(later?.cards.map(\.title) == ["1 goal due today"] && later?.cards.first?.goals?.map(\.id) == ["read"])
        open.change { $0 = [] }
        #expect(try await service.make(again: false).cards.isEmpty)
    }

    @Test func `a day has one briefing, whoever asks and however often`() async throws {
        let diary = try full()
        let all = try await withThrowingTaskGroup(of: Briefing.self) { group in
            for _ in 0..<8 { group.addTask { try await diary.service.make(again: false) } }
            return try await group.reduce(into: [Briefing]()) { $0.append($1) }
        }
        #expect(Set(all).count == 1)
        diary.setTime("2026-11-23T15:00:00Z")
        try diary.note(9, "Later", "2026-11-23 14:00:00", thread: 2)
        let other = try GatewayDatabase(path: diary.database.path)
        let same = try await BriefingService(store: other, rule: diary.service.rule).briefing(
            of: diary.service.today)
        #expect(same == all.first)
        let again = try await diary.service.make(again: true)
        #expect(again.madeAt == "2026-11-23T15:00:00Z")
        #expect(again.cards.first { $0.kind == .newThread }?.notes.map(\.id) == [9, 4])
        try other.close()
    }

    @Test func `what was deleted, hidden or done since is not shown`() async throws {
        let diary = try full()
        _ = try await diary.service.make(again: false)
        try diary.write(
            "DELETE FROM raw_notes WHERE id = 7", "UPDATE raw_notes SET test_run = 'x' WHERE id = 5",
            "UPDATE raw_notes SET title = 'Renamed' WHERE id = 8", "DELETE FROM threads WHERE id = 2",
            "UPDATE gateway_task_details SET completed_at = '2026-11-23' WHERE task_id = 1")
        let briefing = try #require(try await diary.service.briefing(of: diary.service.today))
        #expect(briefing.cards.map(\.kind) == [.heatingThread, .nearPair])
        #expect(briefing.cards.last?.title == "Bow hold and Renamed" && briefing.cards.map(\.number) == [1, 2])
        #expect(!briefing.text.contains("[3]") && !briefing.text.contains("Old bow"))
    }

    @Test func `an empty diary has a briefing without cards; other days have what was stored`() async throws {
        let diary = try Diary()
        let briefing = try await diary.service.briefing(of: diary.service.today)
        #expect(briefing?.cards == [] && briefing?.text == "Nothing new today.")
        diary.setTime("2026-11-24T10:00:00Z")
        #expect(try await diary.service.briefing(of: #require(LocalDay(parsing: "2026-11-23"))) == briefing)
        #expect(try await diary.service.briefing(of: #require(LocalDay(parsing: "2026-11-22"))) == nil)
        #expect(try await diary.service.briefing(of: #require(LocalDay(parsing: "2026-11-25"))) == nil)
    }

    @Test(.slow) func `the order in which rows were written changes nothing`() async throws {
        func briefing(_ order: [Int]) async throws -> Briefing {
            let diary = try Diary()
            try diary.write("INSERT INTO threads (id, name, created_at) VALUES (1, 'One', '2025-01-01')")
            for id in order { try diary.note(id, "Note \(id)", "2026-11-2\(id % 3) 10:00:00", thread: 1) }
            for id in order where id > 1 {
                try diary.write("INSERT INTO note_associations VALUES (1, \(id), 0.9)")
            }
            return try await diary.service.make(again: false)
        }
        let first = try await briefing([1, 2, 3, 4, 5, 6])
        #expect(try await briefing([6, 2, 5, 1, 4, 3]) == first && first.count == 2)
    }

    @Test func `tables of other types and without columns give a briefing`() async throws {
        let diary = try full()
        try diary.write(
            "DROP TABLE threads", "CREATE TABLE threads (id, name)", "INSERT INTO threads VALUES ('x', x'ff'), (1, 7)",
            "DROP TABLE thread_tasks", "CREATE TABLE thread_tasks (thread_id)",
            "INSERT INTO thread_tasks VALUES (x'00'), ('a'), (1)",
            "INSERT INTO note_associations VALUES ('a', x'01', 'b'), (3, 4, 1e999)",
            "UPDATE raw_notes SET created_at = x'ff', title = 5 WHERE id = 3")
        let briefing = try await diary.service.make(again: true)
        #expect(briefing.count >= 2)
        try diary.write("UPDATE gateway_briefings SET facts = '[{\"kind\":\"later\"}]'")
        #expect(try await diary.service.briefing(of: diary.service.today)?.cards == [])
    }

    @Test func `tasks are listed by their due day over pages`() async throws {
        let diary = try Diary()
        try diary.write("INSERT INTO threads (id, name, created_at) VALUES (1, 'One', '2025-01-01')")
        for id in 1...9 {
            try diary.write("INSERT INTO thread_tasks (id, thread_id, created_at) VALUES (\(id), 1, '2026-11-0\(id)')")
        }
        try diary.write(
            "INSERT INTO gateway_task_details (task_id, due) VALUES (3, '2026-12-01'), (8, '2026-11-30'), (5, '2026-12-01')"
        )
        var (ids, cursor) = ([Int64](), PageCursor?.none)
        repeat {
            let page = try await diary.database.tasks.page(.open, after: cursor, limit: 2)
            ids += page.items.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(ids == [8, 5, 3, 9, 7, 6, 4, 2, 1])
        let done = try #require(try await diary.database.tasks.change(5, TaskUpdate(isDone: true)))
        #expect(done.completedAt != nil && done.thread?.name == "One")
        #expect(try await diary.database.tasks.page(.done, limit: 10).items.map(\.id) == [5])
        #expect(try await diary.database.tasks.change(5, TaskUpdate(isDone: false))?.completedAt == nil)
        #expect(try await diary.database.tasks.change(77, TaskUpdate(isDone: true)) == nil)
    }
}
