import Delivery
import Foundation
import GRDB
import GatewayAPI
import Machine
import Push
import PushChannels
import PushRoom
import Schedules
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Notifications

/// A clock that a test sets.
final class ManualClock: Sendable {
    private let time: Mutex<Instant>

    init(_ text: String) throws { time = Mutex(try #require(PushTime.instant(text))) }

    var now: Instant { time.withLock { $0 } }
    func jump(hours: Int64 = 0, minutes: Int64 = 0, seconds: Int64 = 0) {
        time.withLock { $0 = $0.adding(seconds: hours * 3600 + minutes * 60 + seconds) }
    }
    func set(_ text: String) throws {
        let instant = try #require(PushTime.instant(text))
        time.withLock { $0 = instant }
    }
}

/// A clock that nobody sets, as far as the code knows.
final class SteadyClock: Sendable {
    private let start = ContinuousClock.now
    private let passed = Mutex(Duration.zero)

    var now: ContinuousClock.Instant { start + passed.withLock { $0 } }
    func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
}

/// Clocks that jump by hours, that change with the season, and that differ between servers.
@Suite struct JumpingClocks {
    private static func occurrences(_ stand: PushStand) async throws -> [String] {
        try await stand.database.push.log.page(PushLogFilter(), after: nil, limit: 500).items.map {
            String(decoding: $0.message.body, as: UTF8.self)
        }
    }

    private static func add(
        _ stand: PushStand, _ cron: String, _ zone: String? = nil, catchUp: String? = nil
    ) async throws -> StoredPushSchedule {
        var request = PushScheduleRequest(name: "water")
        request.message = .object(["title": .string("water the plants")])
        (request.cron, request.zone, request.catchUp) = (cron, zone, catchUp)
        let rule = try PushScheduleRule(request, zones: stand.service.rules.zones)
        let now = stand.service.room.now
        return try await stand.database.push.schedules.add(
            name: request.name, document: String(decoding: try JSONEncoder().encode(request), as: UTF8.self),
            isOn: true, now: now.milliseconds, nextDue: rule.nextDue(after: now),
            zoneVersion: stand.service.rules.zones.readVersion())
    }

    @Test(.slow, arguments: [3, 30, 24 * 400] as [Int64])
    func `no occurrence is lost or doubled when the clock jumps ahead and back`(_ hours: Int64) async throws {
        let clock = try ManualClock("2026-03-03T10:30:00Z")
        try await PushStand.with(clock: clock) { stand in
            try await stand.device()
            let schedule = try await Self.add(stand, "0 * * * *")
            let runner = ScheduleRunner(stand.service)
            clock.jump(hours: 1)
            try await runner.runDue()
            #expect(try await Self.occurrences(stand).count == 1)
            // Ahead: what is due by that clock is caught up with, once. Then back.
            clock.jump(hours: hours)
            try await runner.runDue()
            let caught = try await Self.occurrences(stand).count
            #expect(caught == 2)
            clock.jump(hours: -hours)
            try await runner.runDue()
            #expect(try await Self.occurrences(stand).count == caught)
            let after = try await stand.database.push.schedules.find(schedule.uuid)
            #expect(after.isOn && after.nextDue == clock.now.adding(seconds: 1800).milliseconds)
            // Every hour from now on comes, but the one that was sent early does not come again.
            for hour in 1...40 as ClosedRange<Int64> {
                clock.jump(hours: 1)
                for _ in 0..<2 { try await runner.runDue() }
                let early = hour >= hours ? 1 : 0
                #expect(try await Self.occurrences(stand).count == caught + Int(hour) - early)
            }
        }
    }

    @Test func `two schedulers that run while the clock jumps by hours store each occurrence once, and none is lost`()
        async throws
    {
        let clock = try ManualClock("2026-03-03T10:30:00Z")
        try await PushStand.with(clock: clock) { stand in
            try await stand.device()
            let schedule = try await Self.add(stand, "0 * * * *", catchUp: "all")
            let other = try GatewayDatabase(path: stand.database.path, clock: { clock.now.milliseconds })
            let services = [stand.service, try PushStand.service(other, stand.channel)]
            func next() async throws -> Int64? { try await stand.database.push.schedules.find(schedule.uuid).nextDue }
            try await stand.running(services.map { ScheduleRunner($0) }) {
                for hours in [1, 7, -5, 1, -20, 2, 30, -3, 6] as [Int64] {
                    clock.jump(hours: hours)
                    for service in services { service.wakeSignals.schedules.signal() }
                    // The next occurrence follows the clock, in both directions.
                    let due = clock.now.adding(seconds: 1800).milliseconds
                    try await waitUntil { try await next() == due }
                }
            }
            let file = try DatabaseQueue(path: stand.database.path)
            let origins = try await file.read { rows in
                try String.fetchAll(rows, sql: "SELECT origin FROM gateway_push_messages WHERE source = 'schedule'")
            }
            try file.close()
            let walls = origins.map { $0.split(separator: "/").dropLast().last.map(String.init) ?? "" }
            // The clock showed 11:00 to 18:00, two hours of the evening before, and then all from 03:00 to 05:00 on the next day:
            // on 4 March at 02:30, the hours from 02:30 on 3 March are within the window of a day.
            let first = try #require(PushTime.instant("2026-03-03T03:00:00Z"))
            var wanted = Set((0..<27).map { ZoneRules.utc.wall(at: first.adding(seconds: $0 * 3600)).description })
            wanted.formUnion(["2026-03-02T19:00:00", "2026-03-02T20:00:00"])
            #expect(walls.count == wanted.count && Set(walls) == wanted, "\(walls.sorted())")
            try other.close()
        }
    }

    @Test func `each day has one occurrence on the nights on which the clocks change`() async throws {
        for (night, hour) in [("2026-03-27T12:00:00Z", "30 2"), ("2026-10-23T12:00:00Z", "30 2")] {
            let clock = try ManualClock(night)
            try await PushStand.with(clock: clock) { stand in
                try await stand.device()
                _ = try await Self.add(stand, "\(hour) * * *", "Europe/Berlin")
                let runner = ScheduleRunner(stand.service)
                for _ in 0..<(4 * 48) {
                    clock.jump(minutes: 30)
                    try await runner.runDue()
                }
                #expect(try await Self.occurrences(stand).count == 4)
            }
        }
    }

    @Test func `a gateway that slept catches up once and sends what waited`() async throws {
        let clock = try ManualClock("2026-03-03T22:30:00Z")
        try await PushStand.with(clock: clock) { stand in
            var settings = PushDeviceSettings()
            settings.zone = "UTC"
            settings.quietHours = .init(windows: [.init(start: "22:00", end: "07:00")], breakThrough: nil)
            try await stand.device(settings: settings)
            _ = try await Self.add(stand, "0 * * * *")
            try await stand.running([OutboxWorker(stand.service), ScheduleRunner(stand.service)]) {
                let held = try await stand.service.sending.submit(stand.order("held"))
                try await waitUntil {
                    try await stand.database.push.outbox.find(held.message.uuid).deliveries[0].delivery.rule
                        == "quiet hours"
                }
                clock.jump(hours: 9)
                stand.service.wakeSignals.wakeAll()
                try await waitUntil { try await stand.states(held.message.uuid) == [.sent] }
                try await waitUntil { stand.channel.attempts.count == 2 }
            }
            #expect(Set(stand.channel.attempts.map(\.message.title)) == ["held", "water the plants"])
        }
    }

    @Test(arguments: [
        // The night on which an hour is missing, and the one that has an hour twice.
        ("2026-03-28T22:30:00Z", "2026-03-29T05:00:00Z"), ("2026-10-24T22:30:00Z", "2026-10-25T06:00:00Z"),
        ("2026-10-25T22:30:00Z", "2026-10-26T06:00:00Z"),
    ])
    func `quiet hours end by the wall on the nights on which the clocks change`(_ start: String, _ end: String)
        async throws
    {
        let clock = try ManualClock(start)
        try await PushStand.with(clock: clock) { stand in
            var settings = PushDeviceSettings()
            settings.zone = "Europe/Berlin"
            settings.quietHours = .init(windows: [.init(start: "22:00", end: "07:00")], breakThrough: nil)
            try await stand.device(settings: settings)
            try await stand.running([OutboxWorker(stand.service)]) {
                let held = try await stand.service.sending.submit(stand.order("held"))
                func delivery() async throws -> StoredPushDelivery {
                    try await stand.database.push.outbox.find(held.message.uuid).deliveries[0].delivery
                }
                try await waitUntil { try await delivery().rule == "quiet hours" }
                #expect(try await delivery().due == PushTime.instant(end)?.milliseconds)
                // A clock that goes back within the night holds it still; the end sends it.
                clock.jump(hours: -1)
                stand.service.wakeSignals.wakeAll()
                try clock.set(end)
                stand.service.wakeSignals.wakeAll()
                try await waitUntil { try await stand.states(held.message.uuid) == [.sent] }
                #expect(stand.channel.attempts.count == 1)
            }
        }
    }

    @Test func `what is being sent is not sent again when the clock jumps, or on a server whose clock differs`()
        async throws
    {
        let clock = try ManualClock("2026-03-03T10:30:00Z")
        let gate = AsyncStream.makeStream(of: Void.self)
        let channel = RecordingChannel { _, _ in
            for await _ in gate.stream {}
            return PushReport(PushOutcome(.accepted, "ok"))
        }
        try await PushStand.with(channel, clock: clock) { stand in
            try await stand.device()
            let path = stand.database.path
            let ahead = try GatewayDatabase(path: path, clock: { clock.now.adding(seconds: 120).milliseconds })
            let behind = try GatewayDatabase(path: path, clock: { clock.now.adding(seconds: -7200).milliseconds })
            let others = [try PushStand.service(ahead, channel), try PushStand.service(behind, channel)]
            try await stand.running(([stand.service] + others).map { OutboxWorker($0) }) {
                var ids: Set<String> = []
                for number in 0..<20 {
                    for service in [stand.service] + others {
                        ids.insert(
                            try await service.sending.submit(stand.order("\(number)")).deliveries[0].delivery.uuid)
                    }
                }
                try await waitUntil { channel.attempts.count >= 60 }
                for hours in [5, -9, 30, -26] as [Int64] {
                    clock.jump(hours: hours)
                    for service in [stand.service] + others { service.wakeSignals.wakeAll() }
                    // Each lane looks, and finds nothing that it may take.
                    for kind in PushChannelKind.allCases {
                        _ = try await stand.database.push.outbox.take(0, of: kind.rawValue, lease: 1, as: WorkerName())
                    }
                }
                gate.continuation.finish()
                // What the server that is two hours behind could not see as due yet is due now.
                clock.jump(hours: 12)
                for service in [stand.service] + others { service.wakeSignals.wakeAll() }
                try await waitUntil { try await stand.database.push.outbox.openCount(upTo: 1) == 0 }
                #expect(Set(channel.attempts.map(\.id)) == ids && channel.attempts.count == ids.count)
            }
            for database in [ahead, behind] { try database.close() }
        }
    }

    @Test func `a lease ends when nobody renews it for a minute, whatever the clock says`() async throws {
        let (clock, steady) = (try ManualClock("2026-03-03T10:30:00Z"), SteadyClock())
        try await PushStand.with(clock: clock) { stand in
            try await stand.device()
            for number in 0..<3 { _ = try await stand.service.sending.submit(stand.order("\(number)")) }
            let outbox = stand.database.push.outbox
            let work = try await outbox.take(3, of: "webhook", lease: 60_000, as: WorkerName())
            let (mine, renewed, gone) = (work[0].delivery, work[1].delivery, work[2].delivery)
            var upkeep = OutboxUpkeep(stand.service) { steady.now }
            for round in 0..<7 {
                clock.jump(hours: round.isMultiple(of: 2) ? 5 : -7)
                try await upkeep.round(holding: [mine.id], isPruning: false)
                try await outbox.renew([(renewed.id, renewed.claim)], lease: 60_000)
                #expect(try await outbox.leases().count == (round < 6 ? 3 : 2))
                steady.pass(.seconds(10))
            }
            let again = try await outbox.take(9, of: "webhook", lease: 60_000, as: WorkerName())
            #expect(again.map(\.delivery.uuid) == [gone.uuid])
            // The results of the first holder do not count, those of the others do.
            let results = try await outbox.record(
                work.map { item in
                    var record = PushRecord(item.delivery, revision: item.message.revision)
                    record.delivery.state = .sent
                    return record
                })
            #expect(results == 1)
        }
    }

    @Test func `retries and digests that a clock ahead stored come in time, and nothing is deleted after a leap`()
        async throws
    {
        let (clock, steady) = (try ManualClock("2026-03-03T10:30:00Z"), SteadyClock())
        try await PushStand.with(clock: clock) { stand in
            try await stand.device()
            let outbox = stand.database.push.outbox
            var upkeep = OutboxUpkeep(stand.service) { steady.now }
            try await upkeep.round(holding: [], isPruning: true)
            let old = try await stand.service.sending.submit(stand.order("old"))
            let sent = try await outbox.take(1, of: "webhook", lease: 60_000, as: WorkerName()).map { item in
                var record = PushRecord(item.delivery, revision: 1)
                record.delivery.state = .sent
                return record
            }
            try await outbox.record(sent)
            // A year ahead nothing is deleted.
            clock.jump(hours: 24 * 365)
            steady.pass(.seconds(10))
            try await upkeep.round(holding: [], isPruning: true)
            #expect(try await stand.states(old.message.uuid) == [.sent])
            for name in ["retry", "digest"] { _ = try await stand.service.sending.submit(stand.order(name)) }
            let work = try await outbox.take(2, of: "webhook", lease: 60_000, as: WorkerName())
            var (retry, digest) = (PushRecord(work[0].delivery, revision: 1), PushRecord(work[1].delivery, revision: 1))
            retry.delivery.state = .queued
            retry.delivery.due = clock.now.adding(seconds: 90).milliseconds
            digest.delivery.state = .merged
            digest.delivery.digestDue = clock.now.adding(seconds: 3600).milliseconds
            try await outbox.record([retry, digest])
            clock.jump(hours: -24 * 365)
            steady.pass(.seconds(10))
            try await upkeep.round(holding: [], isPruning: true)
            #expect(try await outbox.nextDue(of: "webhook") == clock.now.milliseconds)
            clock.jump(seconds: 90)
            let due = try await outbox.take(9, of: "webhook", lease: 60_000, as: WorkerName())
            #expect(Set(due.map(\.delivery.uuid)) == Set(work.map(\.delivery.uuid)))
        }
    }

    @Test func `a rate holds no longer than its pause after the clock went back`() async throws {
        let clock = try ManualClock("2026-03-03T10:30:00Z")
        try await PushStand.with(clock: clock) { stand in
            var settings = PushDeviceSettings()
            settings.rate = .init(burst: 1, seconds: 60, breakThrough: nil)
            try await stand.device(settings: settings)
            try await stand.running([OutboxWorker(stand.service)]) {
                let first = try await stand.service.sending.submit(stand.order("1"))
                try await waitUntil { try await stand.states(first.message.uuid) == [.sent] }
                clock.jump(hours: -5)
                let second = try await stand.service.sending.submit(stand.order("2"))
                try await waitUntil {
                    try await stand.database.push.outbox.find(second.message.uuid).deliveries[0].delivery.rule == "rate"
                }
                clock.jump(seconds: 61)
                stand.service.wakeSignals.wakeAll()
                try await waitUntil { try await stand.states(second.message.uuid) == [.sent] }
            }
        }
    }
}
