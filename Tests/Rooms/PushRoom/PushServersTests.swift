import Database
import Foundation
import GatewayAPI
import PushRoom
import TestSupport
import Testing

/// Two gateways on one store: each notification is stored, sent and told of once.
@Suite(.serialized) struct PushServers {
    @Test(arguments: NotesPlace.allCases)
    func `each delivery is taken by one of two gateways`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        var devices: [StoredPushDevice] = []
        for number in 0..<40 { devices.append(try await PushStage.device("d\(number)", stage.room)) }
        for _ in 0..<5 { _ = try await stage.room.outbox.submit(PushStage.draft(devices)) }
        let taken = try await withThrowingTaskGroup(of: [PushWork].self) { group in
            for room in [stage.room, stage.other, stage.room, stage.other] {
                group.addTask {
                    var all: [PushWork] = []
                    while true {
                        let work = try await PushStage.take(room, limit: 7)
                        if work.isEmpty { return all }
                        #expect(
                            try await room.outbox.record(work.map { PushStage.record($0, .sent, event: "sent") }) == 0)
                        all += work
                    }
                }
            }
            var all: [PushWork] = []
            for try await part in group { all += part }
            return all
        }
        #expect(taken.count == 200 && Set(taken.map(\.delivery.uuid)).count == 200)
        #expect(taken.allSatisfy { $0.delivery.claim == 1 })
        #expect(try await stage.other.outbox.openCount(upTo: 10) == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `of one collapse key, two gateways never send two at a time`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let device = try await PushStage.device("a", stage.room)
        var draft = PushStage.draft([device])
        draft.collapseKey = "door"
        for _ in 0..<8 { _ = try await stage.room.outbox.submit(draft) }
        for _ in 0..<8 {
            async let first = PushStage.take(stage.room, limit: 1)
            async let second = PushStage.take(stage.other, limit: 1)
            let work = try await first + second
            #expect(work.count == 1)
            try await stage.room.outbox.record(work.map { PushStage.record($0, .sent) })
        }
        #expect(try await stage.room.outbox.openCount(upTo: 10) == 0)
    }

    @Test(arguments: NotesPlace.allCases)
    func `what both gateways store at once is stored once`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let rooms = [stage.room, stage.other]
        let ids = try await both(rooms) { try await PushStage.device("a", $0).id }
        #expect(Set(ids).count == 1)
        let device = try #require(try await stage.room.devices.rows(Set(ids)).first)
        var draft = PushStage.draft([device])
        draft.origin = "job/1"
        let own = draft
        let name = PushRequestName(caller: "key 1", name: "k", hash: Data([1]))
        #expect(Set(try await both(rooms) { try await $0.outbox.submit(own).message.uuid }).count == 1)
        let named = try await both(rooms) { room in
            try await room.outbox.submit(PushStage.draft([device]), name: name).message.uuid
        }
        #expect(Set(named).count == 1)
        #expect(try await stage.room.outbox.openCount(upTo: 10) == 2)
        let schedule = try await stage.room.schedules.add(
            name: "s", document: "{}", isOn: true, now: 1000, nextDue: 2000, zoneVersion: nil)
        let advanced = try await both(rooms) { room in
            try await room.schedules.advance(
                schedule, lookedAt: 2000, nextDue: 3000, zoneVersion: nil, lastRun: "x", missed: "x", isOn: true,
                storing: [PushStage.draft([device])])
        }
        #expect(advanced.filter { $0 }.count == 1)
        #expect(try await stage.room.outbox.openCount(upTo: 10) == 3)
        let added = try await both(rooms) { room in
            (try? await room.library.add(.template, name: "t", document: "{}")) != nil
        }
        #expect(added.filter { $0 }.count == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a reader of events misses none while two gateways add some`(_ kind: NotesPlace) async throws {
        guard let stage = try await PushStage(kind) else { return }
        let device = try await PushStage.device("a", stage.room)
        for _ in 0..<60 { _ = try await stage.room.outbox.submit(PushStage.draft([device])) }
        let isDone = Locked(false)
        let read = Task {
            var (seen, found): (Int64, [Int64]) = (0, [])
            while true {
                let wasDone = isDone.value
                let batch = try await stage.other.log.events(
                    after: seen, device: nil, kinds: [], hasBodies: false, limit: 10)
                guard case .events(let events, let upTo) = batch else { return found }
                found += events.map(\.id)
                seen = upTo
                if wasDone, events.isEmpty { return found }
            }
        }
        _ = try await both([stage.room, stage.other, stage.room, stage.other]) { room in
            while case let work = try await PushStage.take(room, limit: 1), !work.isEmpty {
                try await room.outbox.record(work.map { PushStage.record($0, .sent, event: "sent") })
            }
        }
        isDone.change { $0 = true }
        let found = try await read.value
        #expect(found.count == 60 && found == found.sorted())
    }

    @Test(arguments: NotesPlace.allCases)
    func `a key has its share of devices, and one that ended gets nothing`(_ kind: NotesPlace) async throws {
        let ended = Locked(false)
        let owners = PushOwners(may: { _, key, _ in key != 2 || !ended.value }, family: { $0 == 1 ? [1, 3] : [$0] })
        guard let stage = try await PushStage(kind, owners: owners) else { return }
        let room = stage.room
        for number in 0..<49 { _ = try await PushStage.device("d\(number)", room, owner: number % 2 == 0 ? 1 : 3) }
        let other = try await PushStage.device("other", room, owner: 2)
        _ = try await PushStage.device("last", room, owner: 1)
        await #expect { _ = try await PushStage.device("more", room, owner: 1) } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
        // The address of another key's device is taken, until that key ends.
        await #expect { _ = try await PushStage.device("other", room, owner: 4) } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
        #expect(try await room.devices.counts().map(\.live) == [51])
        #expect(try await room.devices.page(after: nil, limit: 5, of: 2).items == [other])
        #expect(try await room.devices.live(["other"]) == [other])
        let stored = try await room.outbox.submit(PushStage.draft([other]))
        ended.change { $0 = true }
        #expect(try await PushStage.take(room).isEmpty)
        let left = try await room.outbox.find(stored.message.uuid).deliveries.map(\.delivery)
        #expect(left.map(\.state) == [.dropped] && left[0].reason?.contains("was revoked") == true)
        await #expect { _ = try await room.devices.live(["other"]) } throws: {
            ($0 as? StorageError)?.code == .invalid
        }
        #expect(try await PushStage.device("other", room, owner: 4).owner == 4)
        try await room.devices.delete(other.uuid)
        await #expect { _ = try await room.devices.find(other.uuid) } throws: {
            ($0 as? StorageError)?.code == .notFound
        }
    }

    private func both<Value: Sendable>(
        _ rooms: [PushRoom], _ body: @escaping @Sendable (PushRoom) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for room in rooms { group.addTask { try await body(room) } }
            var all: [Value] = []
            for try await value in group { all.append(value) }
            return all
        }
    }
}
