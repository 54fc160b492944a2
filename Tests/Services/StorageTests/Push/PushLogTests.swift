import Foundation
import GRDB
import GatewayAPI
import Storage
import TestSupport
import Testing

/// The log of notifications, and schedules over several servers.
@Suite struct PushLogTables {
    @Test func `pages have every delivery once, whatever is filtered`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let devices = [
            try await OutboxTables.device("a", database), try await OutboxTables.device("b", database),
        ]
        var wanted: [String] = []
        for number in 0..<30 {
            var draft = OutboxTables.draft(devices)
            draft.topic = number % 3 == 0 ? "rare" : "default"
            let stored = try await database.outbox.submit(draft)
            if number % 3 == 0 { wanted.append(stored.deliveries[1].delivery.uuid) }
        }
        var filter = PushLogFilter()
        filter.topic = "rare"
        filter.device = devices[1].uuid
        var found: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try await database.pushLog.page(filter, after: cursor, limit: 3)
            #expect(page.items.count <= 3)
            found += page.items.map(\.delivery.uuid)
            cursor = page.next
        } while cursor != nil
        #expect(found == wanted.reversed())
        filter.state = .sent
        #expect(try await database.pushLog.page(filter, after: nil, limit: 3).items.isEmpty)
        try database.close()
    }

    @Test func `a search finds words in titles and texts, in any case, and nothing else of a message`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await OutboxTables.device("a", database)
        for body in [
            #"{"title":"Élan at High Water"}"#, #"{"body":"low water","data":{"secret":"tide"}}"#,
            #"{"subtitle":"über allem","title":"x"}"#, "{not json water", "[]",
        ] { _ = try await database.outbox.submit(OutboxTables.draft([device], body)) }
        for (text, count) in [
            ("WATER", 2), ("élan", 1), ("ÜBER", 1), ("tide", 0), ("title", 0), ("high  water", 0), ("%", 0),
        ] {
            var filter = PushLogFilter()
            filter.text = text
            #expect(try await database.pushLog.page(filter, after: nil, limit: 10).items.count == count, "\(text)")
        }
        try database.close()
    }

    @Test func `events are replayed from an id without a gap, and a pruned id is a reset`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await OutboxTables.device("a", database)
        let other = try await OutboxTables.device("b", database)
        guard case .events(let none, let start) = try await events(database, nil, device) else {
            Issue.record("expected events")
            return
        }
        #expect(none.isEmpty && start == 0)
        for _ in 0..<5 {
            _ = try await database.outbox.submit(OutboxTables.draft([device, other]))
            let work = try await OutboxTables.take(database)
            try await database.outbox.record(work.map { OutboxTables.record($0, .sent, event: "sent") })
        }
        guard case .events(let all, _) = try await events(database, 0, device),
            case .events(let rest, let end) = try await events(database, all[2].id, device)
        else {
            Issue.record("expected events")
            return
        }
        #expect(all.count == 5 && all.allSatisfy { $0.device == device.uuid && $0.body != nil })
        #expect(rest.map(\.id) == all.suffix(2).map(\.id) && end == 10)
        guard case .reset(let newest) = try await events(database, 99, device) else {
            Issue.record("expected a reset")
            return
        }
        #expect(newest == 10)

        // Messages that are done and old go, and with them the events.
        _ = try await database.outbox.submit(OutboxTables.draft([device]))
        #expect(try await database.outbox.prune(olderThan: -1000, keepingEvents: 1_000_000) == false)
        #expect(try await database.outbox.openCount(upTo: 10) == 1)
        guard case .reset = try await events(database, 3, device) else {
            Issue.record("expected a reset")
            return
        }
        guard case .events(let left, let last) = try await events(database, 10, device) else {
            Issue.record("expected events")
            return
        }
        #expect(left.isEmpty && last == 10)
        try database.close()
    }

    private func events(
        _ database: GatewayDatabase, _ seen: Int64?, _ device: StoredPushDevice
    ) async throws -> PushEventBatch {
        try await database.pushLog.events(
            after: seen, device: device.id, kinds: ["sent"], hasBodies: true, limit: 100)
    }

    @Test func `of two servers with the same schedule, one stores an occurrence`() async throws {
        let file = try TemporaryDatabase()
        let (first, second) = (try file.open(), try file.open())
        let device = try await OutboxTables.device("a", first)
        let schedule = try await first.pushSchedules.add(
            name: "s", document: "{}", isOn: true, now: 1000, nextDue: 2000, zoneVersion: "2025b")
        #expect(try await second.pushSchedules.due(at: 2000, zoneVersion: "2025b", limit: 10) == [schedule])
        #expect(try await second.pushSchedules.due(at: 1999, zoneVersion: "2025b", limit: 10).isEmpty)
        #expect(try await second.pushSchedules.due(at: 1999, zoneVersion: "2026a", limit: 10).count == 1)
        var draft = OutboxTables.draft([device])
        draft.origin = "schedule/1"
        var stored: [Bool] = []
        for database in [first, second] {
            stored.append(
                try await database.pushSchedules.advance(
                    schedule, lookedAt: 2000, nextDue: 3000, zoneVersion: "2025b", lastRun: "x", missed: nil,
                    isOn: true, storing: [draft]))
        }
        #expect(stored == [true, false])
        #expect(try await first.outbox.openCount(upTo: 10) == 1)
        #expect(try await first.pushSchedules.find(schedule.uuid).nextDue == 3000)
        try first.close()
        try second.close()
    }
}
