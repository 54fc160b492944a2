import Database
import Foundation
import PushRoom
import TestSupport
import Testing

/// The outbox: a message and its deliveries are stored at once, leased, and recorded by the holder of the lease only.
@Suite(.serialized) struct OutboxTables {
    @Test(arguments: NotesPlace.allCases)
    func `a message has a delivery for each device, which one worker at a time holds`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let devices = [try await PushStage.device("a", room), try await PushStage.device("b", room)]
        let stored = try await room.outbox.submit(PushStage.draft(devices))
        #expect(stored.deliveries.map(\.name) == ["a", "b"] && !stored.isKnown)
        #expect(stored.deliveries.allSatisfy { $0.delivery.state == .queued })

        let work = try await PushStage.take(room)
        #expect(work.map(\.delivery.uuid) == stored.deliveries.map(\.delivery.uuid))
        #expect(work.allSatisfy { $0.delivery.claim == 1 && $0.delivery.state == .sending })
        #expect(try await PushStage.take(room).isEmpty)
        #expect(try await room.outbox.record([PushStage.record(work[0], .sent, event: "sent")]) == 0)
        let after = try await room.outbox.find(stored.message.uuid)
        #expect(after.deliveries.map(\.delivery.state) == [.sent, .sending])
        #expect(try await room.outbox.openCount(upTo: 10) == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `ids grow with time and place, so that new rows share their pages of the index`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        var devices: [StoredPushDevice] = []
        for number in 0..<20 { devices.append(try await PushStage.device("d\(number)", room)) }
        var ids: [String] = []
        for _ in 0..<5 {
            let stored = try await room.outbox.submit(PushStage.draft(devices))
            let own = [stored.message.uuid] + stored.deliveries.map(\.delivery.uuid)
            #expect(own == own.sorted() && own.count == 21)
            #expect(stored.deliveries.map(\.delivery.deviceID) == devices.map(\.id))
            ids += own
            // Within a millisecond, messages may come in any order.
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(Set(ids).count == ids.count)
        #expect(ids == ids.sorted())
        for id in ids {
            let uuid = try #require(UUID(uuidString: id))
            #expect(uuid.uuidString.lowercased() == id && uuid.uuid.6 >> 4 == 7 && uuid.uuid.8 >> 6 == 2)
        }
    }

    @Test(
        .slow,
        .enabled(
            if: FileManager.default.fileExists(atPath: OutboxTables.processIO),
            "only Linux counts the bytes of a process"))
    func `a message to many devices copies no page twice before it changes it`() async throws {
        let stage = try #require(try await PushStage(.file))
        let room = stage.room
        var devices: [StoredPushDevice] = []
        for number in 0..<500 { devices.append(try await PushStage.device("d\(number)", room)) }
        for _ in 0..<4 { _ = try await room.outbox.submit(PushStage.draft(devices)) }
        // Other tests write, too, so one of several messages has to be below the bound; copies would be 13 MB each.
        try await waitUntil {
            let before = try Self.written()
            _ = try await room.outbox.submit(PushStage.draft(devices))
            return try Self.written() - before < 4_000_000
        }
    }

    static let processIO = "/proc/self/io"

    /// The bytes that this process wrote so far.
    private static func written() throws -> Int {
        let lines = try String(contentsOfFile: processIO, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("wchar:") })
        return try #require(Int(line.dropFirst(6).drop { $0 == " " }))
    }

    @Test(arguments: NotesPlace.allCases)
    func `a lease that ended is taken by another worker, and the first one's result does not count`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        let stored = try await room.outbox.submit(PushStage.draft([device]))
        let first = try #require(try await PushStage.take(room).first)
        #expect(try await PushStage.take(room).isEmpty)
        #expect(try await room.outbox.nextDue(of: "stream") == nil)
        try await room.outbox.endLeases(try await room.outbox.leases())
        let second = try #require(try await PushStage.take(room).first)
        #expect(second.delivery.claim == 2)
        #expect(try await room.outbox.record([PushStage.record(first, .failed)]) == 1)
        #expect(try await room.outbox.record([PushStage.record(second, .sent)]) == 0)
        #expect(try await room.outbox.find(stored.message.uuid).deliveries[0].delivery.state == .sent)

        // A renewed lease lasts.
        _ = try await room.outbox.submit(PushStage.draft([device]))
        let third = try #require(try await PushStage.take(room).first)
        let read = try await room.outbox.leases()
        try await room.outbox.renew([(third.delivery.id, third.delivery.claim)], lease: 70_000)
        try await room.outbox.endLeases(read)
        #expect(try await PushStage.take(room).isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a request of the same name gets the first answer, and another body a conflict`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        let name = PushRequestName(caller: "key 1", name: "k", hash: Data([1]))
        let first = try await room.outbox.submit(PushStage.draft([device]), name: name)
        let again = try await room.outbox.submit(PushStage.draft([device]), name: name)
        #expect(again.isKnown && again.message.uuid == first.message.uuid)
        let other = PushRequestName(caller: "key 1", name: "k", hash: Data([2]))
        await #expect(throws: StorageError.self) {
            _ = try await room.outbox.submit(PushStage.draft([device]), name: other)
        }
        let foreign = PushRequestName(caller: "key 2", name: "k", hash: Data([2]))
        #expect(try await room.outbox.submit(PushStage.draft([device]), name: foreign).isKnown == false)

        // An origin is unique, too.
        var draft = PushStage.draft([device])
        draft.origin = "schedule/x"
        let origin = try await room.outbox.submit(draft)
        #expect(try await room.outbox.submit(draft).message.uuid == origin.message.uuid)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a newer message of the same key supersedes one that waits, and waits for one on its way`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        var draft = PushStage.draft([device])
        draft.collapseKey = "door"
        _ = try await room.outbox.submit(draft)
        let newer = try await room.outbox.submit(draft)
        let work = try await PushStage.take(room)
        #expect(work.map(\.supersededBy) == [newer.deliveries[0].delivery.uuid, nil])
        try await room.outbox.record([PushStage.record(work[0], .dropped), PushStage.record(work[1], .queued)])

        let held = try await PushStage.take(room)
        #expect(held.count == 1)
        _ = try await room.outbox.submit(draft)
        #expect(try await PushStage.take(room).isEmpty)
        try await room.outbox.record(held.map { PushStage.record($0, .sent) })
        #expect(try await PushStage.take(room).count == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a changed message is sent again, also when it changed on its way`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        let stored = try await room.outbox.submit(PushStage.draft([device]))
        let work = try await PushStage.take(room)
        _ = try await room.outbox.update(
            stored.message.uuid, body: Data(#"{"title":"b"}"#.utf8), priority: 3, expires: nil)
        try await room.outbox.record(work.map { PushStage.record($0, .sent) })
        let again = try await PushStage.take(room)
        #expect(again.count == 1 && again[0].delivery.uuid == work[0].delivery.uuid)
        #expect(String(decoding: again[0].message.body, as: UTF8.self) == #"{"title":"b"}"#)
        try await room.outbox.record(again.map { PushStage.record($0, .sent) })
        #expect(try await PushStage.take(room).isEmpty)
        _ = try await room.outbox.update(
            stored.message.uuid, body: Data(#"{"title":"c"}"#.utf8), priority: 3, expires: nil)
        #expect(try await PushStage.take(room).count == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a recalled message is not sent, and the devices that may have it are named`(_ kind: NotesPlace)
        async throws
    {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let devices = [try await PushStage.device("a", room), try await PushStage.device("b", room)]
        let stored = try await room.outbox.submit(PushStage.draft(devices))
        let work = try await PushStage.take(room)
        try await room.outbox.record([PushStage.record(work[0], .sent), PushStage.record(work[1], .queued)])
        let recalled = try await room.outbox.recall(stored.message.uuid)
        #expect(recalled.reached.map(\.deviceID) == [devices[0].id])
        #expect(recalled.message.deliveries.allSatisfy { $0.delivery.state == .recalled })
        #expect(try await PushStage.take(room).isEmpty)
        #expect(try await room.outbox.recall(stored.message.uuid).reached.isEmpty)
        await #expect(throws: StorageError.self) {
            _ = try await room.outbox.update(stored.message.uuid, body: Data("{}".utf8), priority: 3, expires: nil)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `an acknowledgement on one device ends the repeats on all`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let devices = [try await PushStage.device("a", room), try await PushStage.device("b", room)]
        let stored = try await room.outbox.submit(PushStage.draft(devices, priority: 5))
        let records = try await PushStage.take(room).map { work in
            var record = PushStage.record(work, .sent)
            record.delivery.state = .queued
            record.delivery.repeats = 1
            return record
        }
        try await room.outbox.record(records)
        let noted = try await room.outbox.note(.acknowledged, of: stored.deliveries[1].delivery.uuid)
        #expect(noted.acknowledgedAt != nil && noted.deliveredAt != nil)
        let after = try await room.outbox.find(stored.message.uuid)
        #expect(after.deliveries.map(\.delivery.state) == [.sent, .sent])
        #expect(try await PushStage.take(room).isEmpty)
        await #expect(throws: StorageError.self) { _ = try await room.outbox.note(.opened, of: "nothing") }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a dead address retires its device only if it was not registered since`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let room = stage.room
        let device = try await PushStage.device("a", room)
        _ = try await room.outbox.submit(PushStage.draft([device]))
        _ = try await room.outbox.submit(PushStage.draft([device]))
        let work = try await PushStage.take(room)
        var record = PushStage.record(work[0], .failed)
        record.device = .retired(registeredBefore: device.registeredAt, reason: "gone")
        try await room.outbox.record([record])
        #expect(try await room.devices.find(device.uuid).retired == nil)
        record = PushStage.record(work[1], .failed)
        record.device = .retired(registeredBefore: device.registeredAt + 1, reason: "gone")
        try await room.outbox.record([record])
        #expect(try await room.devices.find(device.uuid).retired == "gone")
        #expect(try await room.devices.live(nil).isEmpty)
        await #expect(throws: StorageError.self) { _ = try await room.devices.live(["a"]) }
        // It registers again.
        #expect(try await PushStage.device("a", room).retired == nil)
    }

    @Test func `rows that another program changed are no crash`() async throws {
        let stage = try #require(try await PushStage(.file))
        let room = stage.room
        let device = try await PushStage.device("a", room)
        let stored = try await room.outbox.submit(PushStage.draft([device]))
        _ = try await room.outbox.submit(PushStage.draft([device]))
        try await stage.store.transaction { session in
            for statement in [
                """
                UPDATE gateway_push_messages SET topic = x'FF', priority = 'many', body = '{', expires = 'never' WHERE id = 1
                """,
                "UPDATE gateway_push_devices SET settings = x'FF00', name = x'FE', seen_at = 'now'",
                "UPDATE gateway_push_deliveries SET attempts = 'x', rule = x'FF', steps = 5 WHERE id = 1",
                "DELETE FROM gateway_push_messages WHERE id = 2",
                "INSERT INTO gateway_push_events (at, kind, device_id) VALUES (1, x'FF', 'none')",
            ] { try session.run(statement) }
        }
        let work = try await PushStage.take(room)
        #expect(work.map(\.delivery.uuid) == [stored.deliveries[0].delivery.uuid])
        #expect(work[0].message.expires == nil && work[0].message.priority == 0)
        #expect(try await PushStage.take(room).isEmpty)
        _ = try await room.log.page(PushLogFilter(), after: nil, limit: 10)
        _ = try await room.log.events(after: 0, device: nil, kinds: [], hasBodies: true, limit: 10)
        _ = try await room.devices.page(after: nil, limit: 10)
    }
}
