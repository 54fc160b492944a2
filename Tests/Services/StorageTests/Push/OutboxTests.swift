import Foundation
import GRDB
import Machine
import Storage
import TestSupport
import Testing

/// The outbox: a message and its deliveries are stored at once, leased, and recorded by the holder of the lease only.
@Suite struct OutboxTables {
    static func device(_ name: String, _ database: GatewayDatabase) async throws -> StoredPushDevice {
        try await database.pushDevices.register(
            PushRegistration(name: name, channel: "stream", address: name, target: "{}")
        ).device
    }

    static func draft(
        _ devices: [StoredPushDevice], _ body: String = #"{"title":"a"}"#, priority: Int = 3
    ) -> PushDraft {
        PushDraft(
            topic: "default", priority: priority, body: Data(body.utf8), source: "api", devices: devices.map(\.id))
    }

    /// Takes all that is due, as one worker.
    static func take(_ database: GatewayDatabase, lease: Int64 = 60_000) async throws -> [PushWork] {
        try await database.outbox.take(100, of: "stream", lease: lease, as: WorkerName())
    }

    /// What a worker records of a delivery.
    static func record(_ work: PushWork, _ state: PushState, event: String? = nil) -> PushRecord {
        var record = PushRecord(work.delivery, revision: work.message.revision)
        record.delivery.state = state
        record.delivery.attempts += 1
        record.delivery.due = 0
        if state == .sent { record.delivery.sentAt = work.message.createdAt }
        record.event = event.map { ($0, "") }
        return record
    }

    @Test func `a message has a delivery for each device, which one worker at a time holds`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let devices = [try await Self.device("a", database), try await Self.device("b", database)]
        let stored = try await database.outbox.submit(Self.draft(devices))
        #expect(stored.deliveries.map(\.name) == ["a", "b"] && !stored.isKnown)
        #expect(stored.deliveries.allSatisfy { $0.delivery.state == .queued })

        let work = try await Self.take(database)
        #expect(work.map(\.delivery.uuid) == stored.deliveries.map(\.delivery.uuid))
        #expect(work.allSatisfy { $0.delivery.claim == 1 && $0.delivery.state == .sending })
        #expect(try await Self.take(database).isEmpty)
        #expect(try await database.outbox.record([Self.record(work[0], .sent, event: "sent")]) == 0)
        let after = try await database.outbox.find(stored.message.uuid)
        #expect(after.deliveries.map(\.delivery.state) == [.sent, .sending])
        #expect(try await database.outbox.openCount(upTo: 10) == 1)
        try database.close()
    }

    @Test func `ids grow with time and place, so that new rows share their pages of the index`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        var devices: [StoredPushDevice] = []
        for number in 0..<20 { devices.append(try await Self.device("d\(number)", database)) }
        var ids: [String] = []
        for _ in 0..<5 {
            let stored = try await database.outbox.submit(Self.draft(devices))
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
        try database.close()
    }

    @Test(
        .slow,
        .enabled(
            if: FileManager.default.fileExists(atPath: OutboxTables.processIO),
            "only Linux counts the bytes of a process"))
    func `a message to many devices copies no page twice before it changes it`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        var devices: [StoredPushDevice] = []
        for number in 0..<500 { devices.append(try await Self.device("d\(number)", database)) }
        for _ in 0..<4 { _ = try await database.outbox.submit(Self.draft(devices)) }
        // Other tests write, too, so one of several messages has to be below the bound; copies would be 13 MB each.
        try await waitUntil {
            let before = try Self.written()
            _ = try await database.outbox.submit(Self.draft(devices))
            return try Self.written() - before < 4_000_000
        }
        try database.close()
    }

    static let processIO = "/proc/self/io"

    /// The bytes that this process wrote so far.
    private static func written() throws -> Int {
        let lines = try String(contentsOfFile: processIO, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("wchar:") })
        return try #require(Int(line.dropFirst(6).drop { $0 == " " }))
    }

    @Test func `a lease that ended is taken by another worker, and the first one's result does not count`() async throws
    {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        let stored = try await database.outbox.submit(Self.draft([device]))
        let first = try #require(try await Self.take(database).first)
        #expect(try await Self.take(database).isEmpty)
        #expect(try await database.outbox.nextDue(of: "stream") == nil)
        try await database.outbox.endLeases(try await database.outbox.leases())
        let second = try #require(try await Self.take(database).first)
        #expect(second.delivery.claim == 2)
        #expect(try await database.outbox.record([Self.record(first, .failed)]) == 1)
        #expect(try await database.outbox.record([Self.record(second, .sent)]) == 0)
        #expect(try await database.outbox.find(stored.message.uuid).deliveries[0].delivery.state == .sent)

        // A renewed lease lasts.
        _ = try await database.outbox.submit(Self.draft([device]))
        let third = try #require(try await Self.take(database).first)
        let read = try await database.outbox.leases()
        try await database.outbox.renew([(third.delivery.id, third.delivery.claim)], lease: 70_000)
        try await database.outbox.endLeases(read)
        #expect(try await Self.take(database).isEmpty)
        try database.close()
    }

    @Test func `a request of the same name gets the first answer, and another body a conflict`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        let name = PushRequestName(caller: "key 1", name: "k", hash: Data([1]))
        let first = try await database.outbox.submit(Self.draft([device]), name: name)
        let again = try await database.outbox.submit(Self.draft([device]), name: name)
        #expect(again.isKnown && again.message.uuid == first.message.uuid)
        let other = PushRequestName(caller: "key 1", name: "k", hash: Data([2]))
        await #expect(throws: StorageError.self) {
            _ = try await database.outbox.submit(Self.draft([device]), name: other)
        }
        let foreign = PushRequestName(caller: "key 2", name: "k", hash: Data([2]))
        #expect(try await database.outbox.submit(Self.draft([device]), name: foreign).isKnown == false)

        // An origin is unique, too.
        var draft = Self.draft([device])
        draft.origin = "schedule/x"
        let origin = try await database.outbox.submit(draft)
        #expect(try await database.outbox.submit(draft).message.uuid == origin.message.uuid)
        try database.close()
    }

    @Test func `a newer message of the same key supersedes one that waits, and waits for one on its way`() async throws
    {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        var draft = Self.draft([device])
        draft.collapseKey = "door"
        _ = try await database.outbox.submit(draft)
        let newer = try await database.outbox.submit(draft)
        let work = try await Self.take(database)
        #expect(work.map(\.supersededBy) == [newer.deliveries[0].delivery.uuid, nil])
        try await database.outbox.record([Self.record(work[0], .dropped), Self.record(work[1], .queued)])

        let held = try await Self.take(database)
        #expect(held.count == 1)
        _ = try await database.outbox.submit(draft)
        #expect(try await Self.take(database).isEmpty)
        try await database.outbox.record(held.map { Self.record($0, .sent) })
        #expect(try await Self.take(database).count == 1)
        try database.close()
    }

    @Test func `a changed message is sent again, also when it changed on its way`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        let stored = try await database.outbox.submit(Self.draft([device]))
        let work = try await Self.take(database)
        _ = try await database.outbox.update(
            stored.message.uuid, body: Data(#"{"title":"b"}"#.utf8), priority: 3, expires: nil)
        try await database.outbox.record(work.map { Self.record($0, .sent) })
        let again = try await Self.take(database)
        #expect(again.count == 1 && again[0].delivery.uuid == work[0].delivery.uuid)
        #expect(String(decoding: again[0].message.body, as: UTF8.self) == #"{"title":"b"}"#)
        try await database.outbox.record(again.map { Self.record($0, .sent) })
        #expect(try await Self.take(database).isEmpty)
        _ = try await database.outbox.update(
            stored.message.uuid, body: Data(#"{"title":"c"}"#.utf8), priority: 3, expires: nil)
        #expect(try await Self.take(database).count == 1)
        try database.close()
    }

    @Test func `a recalled message is not sent, and the devices that may have it are named`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let devices = [try await Self.device("a", database), try await Self.device("b", database)]
        let stored = try await database.outbox.submit(Self.draft(devices))
        let work = try await Self.take(database)
        try await database.outbox.record([Self.record(work[0], .sent), Self.record(work[1], .queued)])
        let recalled = try await database.outbox.recall(stored.message.uuid)
        #expect(recalled.reached.map(\.deviceID) == [devices[0].id])
        #expect(recalled.message.deliveries.allSatisfy { $0.delivery.state == .recalled })
        #expect(try await Self.take(database).isEmpty)
        #expect(try await database.outbox.recall(stored.message.uuid).reached.isEmpty)
        await #expect(throws: StorageError.self) {
            _ = try await database.outbox.update(stored.message.uuid, body: Data("{}".utf8), priority: 3, expires: nil)
        }
        try database.close()
    }

    @Test func `an acknowledgement on one device ends the repeats on all`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let devices = [try await Self.device("a", database), try await Self.device("b", database)]
        let stored = try await database.outbox.submit(Self.draft(devices, priority: 5))
        let records = try await Self.take(database).map { work in
            var record = Self.record(work, .sent)
            record.delivery.state = .queued
            record.delivery.repeats = 1
            return record
        }
        try await database.outbox.record(records)
        let noted = try await database.outbox.note(.acknowledged, of: stored.deliveries[1].delivery.uuid)
        #expect(noted.acknowledgedAt != nil && noted.deliveredAt != nil)
        let after = try await database.outbox.find(stored.message.uuid)
        #expect(after.deliveries.map(\.delivery.state) == [.sent, .sent])
        #expect(try await Self.take(database).isEmpty)
        await #expect(throws: StorageError.self) { _ = try await database.outbox.note(.opened, of: "nothing") }
        try database.close()
    }

    @Test func `a dead address retires its device only if it was not registered since`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        _ = try await database.outbox.submit(Self.draft([device]))
        _ = try await database.outbox.submit(Self.draft([device]))
        let work = try await Self.take(database)
        var record = Self.record(work[0], .failed)
        record.device = .retired(registeredBefore: device.registeredAt, reason: "gone")
        try await database.outbox.record([record])
        #expect(try await database.pushDevices.find(device.uuid).retired == nil)
        record = Self.record(work[1], .failed)
        record.device = .retired(registeredBefore: device.registeredAt + 1, reason: "gone")
        try await database.outbox.record([record])
        #expect(try await database.pushDevices.find(device.uuid).retired == "gone")
        #expect(try await database.pushDevices.live(nil).isEmpty)
        await #expect(throws: StorageError.self) { _ = try await database.pushDevices.live(["a"]) }
        // It registers again.
        #expect(try await Self.device("a", database).retired == nil)
        try database.close()
    }

    @Test func `rows that another program changed are no crash`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let device = try await Self.device("a", database)
        let stored = try await database.outbox.submit(Self.draft([device]))
        _ = try await database.outbox.submit(Self.draft([device]))
        let other = try DatabaseQueue(path: file.path)
        try await other.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_push_messages SET topic = x'FF', priority = 'many', body = '{', expires = 'never'
                    WHERE id = 1;
                    UPDATE gateway_push_devices SET settings = x'FF00', name = x'FE', seen_at = 'now';
                    UPDATE gateway_push_deliveries SET attempts = 'x', rule = x'FF', steps = 5 WHERE id = 1;
                    DELETE FROM gateway_push_messages WHERE id = 2;
                    INSERT INTO gateway_push_events (at, kind, device_id) VALUES (1, x'FF', 'none');
                    """)
        }
        try other.close()
        let work = try await Self.take(database)
        #expect(work.map(\.delivery.uuid) == [stored.deliveries[0].delivery.uuid])
        #expect(work[0].message.expires == nil && work[0].message.priority == 0)
        #expect(try await Self.take(database).isEmpty)
        _ = try await database.pushLog.page(PushLogFilter(), after: nil, limit: 10)
        _ = try await database.pushLog.events(after: 0, device: nil, kinds: [], hasBodies: true, limit: 10)
        _ = try await database.pushDevices.page(after: nil, limit: 10)
        try database.close()
    }
}
