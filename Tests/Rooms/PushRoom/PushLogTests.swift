import Database
import Foundation
import GatewayAPI
import PushRoom
import TestSupport
import Testing

/// The log of notifications, and schedules over several servers.
@Suite(.serialized) struct PushLogTables {
    @Test(arguments: NotesPlace.allCases)
    func `pages have every delivery once, whatever is filtered`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let devices = [
            try await PushStage.device("a", room), try await PushStage.device("b", room),
        ]
        var wanted: [String] = []
        for number in 0..<30 {
            var draft = PushStage.draft(devices)
            draft.topic = number % 3 == 0 ? "rare" : "default"
            let stored = try await room.outbox.submit(draft)
            if number % 3 == 0 { wanted.append(stored.deliveries[1].delivery.uuid) }
        }
        var filter = PushLogFilter()
        filter.topic = "rare"
        filter.device = devices[1].uuid
        var found: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try await room.log.page(filter, after: cursor, limit: 3)
            #expect(page.items.count <= 3)
            found += page.items.map(\.delivery.uuid)
            cursor = page.next
        } while cursor != nil
        #expect(found == wanted.reversed())
        filter.state = .sent
        #expect(try await room.log.page(filter, after: nil, limit: 3).items.isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a search finds words in titles and texts, in any case, and nothing else of a message`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        for body in [
            #"{"title":"Élan at High Water"}"#, #"{"body":"low water","data":{"secret":"tide"}}"#,
            #"{"subtitle":"über allem","title":"x"}"#, "{not json water", "[]",
        ] { _ = try await room.outbox.submit(PushStage.draft([device], body)) }
        for (text, count) in [
            ("WATER", 2), ("élan", 1), ("ÜBER", 1), ("tide", 0), ("title", 0), ("high  water", 0), ("%", 0),
        ] {
            var filter = PushLogFilter()
            filter.text = text
            #expect(try await room.log.page(filter, after: nil, limit: 10).items.count == count, "\(text)")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a search reads large messages in parts, each once however many devices got it`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        var devices: [StoredPushDevice] = []
        for number in 0..<30 { devices.append(try await PushStage.device("d\(number)", room)) }
        let filling = String(repeating: "x", count: 50_000)
        for number in 0..<50 {
            _ = try await room.outbox.submit(
                PushStage.draft(devices, #"{"title":"Tide \#(number)","body":"\#(filling)"}"#))
        }
        var filter = PushLogFilter()
        filter.text = "TIDE 1"
        var found: [PushLogEntry] = []
        var cursor: PageCursor?
        repeat {
            let page = try await room.log.page(filter, after: cursor, limit: 100)
            found += page.items
            cursor = page.next
        } while cursor != nil
        // The messages 1 and 10 to 19.
        #expect(found.count == 11 * 30 && Set(found.map(\.delivery.uuid)).count == found.count)
        #expect(found.map(\.delivery.id) == found.map(\.delivery.id).sorted(by: >))
        filter.text = "Tide 49"
        #expect(try await room.log.page(filter, after: nil, limit: 5).items.count == 5)
    }

    @Test(arguments: NotesPlace.allCases)
    func `events are replayed from an id without a gap, and a pruned id is a reset`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        let other = try await PushStage.device("b", room)
        guard case .events(let none, let start) = try await events(room, nil, device) else {
            Issue.record("expected events")
            return
        }
        #expect(none.isEmpty && start == 0)
        for _ in 0..<5 {
            _ = try await room.outbox.submit(PushStage.draft([device, other]))
            let work = try await PushStage.take(room)
            try await room.outbox.record(work.map { PushStage.record($0, .sent, event: "sent") })
        }
        guard case .events(let all, _) = try await events(room, 0, device),
            case .events(let rest, let end) = try await events(room, all[2].id, device)
        else {
            Issue.record("expected events")
            return
        }
        #expect(all.count == 5 && all.allSatisfy { $0.device == device.uuid && $0.body != nil })
        #expect(rest.map(\.id) == all.suffix(2).map(\.id) && end == 10)
        guard case .reset(let newest) = try await events(room, 99, device) else {
            Issue.record("expected a reset")
            return
        }
        #expect(newest == 10)

        // Messages that are done and old go, and with them the events.
        _ = try await room.outbox.submit(PushStage.draft([device]))
        #expect(try await room.outbox.prune(olderThan: -1000, keepingEvents: 1_000_000) == false)
        #expect(try await room.outbox.openCount(upTo: 10) == 1)
        guard case .reset = try await events(room, 3, device) else {
            Issue.record("expected a reset")
            return
        }
        guard case .events(let left, let last) = try await events(room, 10, device) else {
            Issue.record("expected events")
            return
        }
        #expect(left.isEmpty && last == 10)
    }

    private func events(
        _ room: PushRoom, _ seen: Int64?, _ device: StoredPushDevice
    ) async throws -> PushEventBatch {
        try await room.log.events(
            after: seen, device: device.id, kinds: ["sent"], hasBodies: true, limit: 100)
    }

    @Test(arguments: NotesPlace.allCases)
    func `of two servers with the same schedule, one stores an occurrence`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let (first, second) = (stage.room, stage.other)
        let device = try await PushStage.device("a", first)
        let schedule = try await first.schedules.add(
            name: "s", document: "{}", isOn: true, now: 1000, nextDue: 2000, zoneVersion: "2025b")
        #expect(try await second.schedules.due(at: 2000, zoneVersion: "2025b", limit: 10) == [schedule])
        #expect(try await second.schedules.due(at: 1999, zoneVersion: "2025b", limit: 10).isEmpty)
        #expect(try await second.schedules.due(at: 1999, zoneVersion: "2026a", limit: 10).count == 1)
        var draft = PushStage.draft([device])
        draft.origin = "schedule/1"
        var stored: [Bool] = []
        for room in [first, second] {
            stored.append(
                try await room.schedules.advance(
                    schedule, lookedAt: 2000, nextDue: 3000, zoneVersion: "2025b", lastRun: "x", missed: nil,
                    isOn: true, storing: [draft]))
        }
        #expect(stored == [true, false])
        #expect(try await first.outbox.openCount(upTo: 10) == 1)
        #expect(try await first.schedules.find(schedule.uuid).nextDue == 3000)
    }
}
