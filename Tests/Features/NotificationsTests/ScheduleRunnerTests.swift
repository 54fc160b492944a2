import ThreadRoom
import Delivery
import Foundation
import GRDB
import GatewayAPI
import JobRoom
import Machine
import Push
import PushChannels
import PushRoom
import Schedules
import Storage
import TestSupport
import Testing

@testable import Notifications

/// Schedules: each occurrence is stored once, late ones by their policy.
@Suite struct ScheduleRunners {
    private static func request(_ change: (inout PushScheduleRequest) -> Void) -> PushScheduleRequest {
        var request = PushScheduleRequest(name: "water")
        request.message = .object(["title": .string("water the plants")])
        change(&request)
        return request
    }

    /// Stores a schedule that was looked at some seconds ago.
    private static func add(
        _ request: PushScheduleRequest, lookedAt seconds: Int64, _ stand: PushStand
    ) async throws -> StoredPushSchedule {
        let rule = try PushScheduleRule(request, zones: stand.service.rules.zones)
        let looked = PushTime.now.adding(seconds: -seconds)
        return try await stand.database.push.schedules.add(
            name: request.name, document: String(decoding: try JSONEncoder().encode(request), as: UTF8.self),
            isOn: true, now: looked.milliseconds, nextDue: rule.nextDue(after: looked),
            zoneVersion: stand.service.rules.zones.readVersion())
    }

    private static func titles(_ stand: PushStand) async throws -> [String] {
        try await stand.database.push.log.page(PushLogFilter(), after: nil, limit: 500).items.map {
            String(decoding: $0.message.body, as: UTF8.self)
        }
    }

    @Test(.slow, arguments: [("latest", 1), ("all", 60), ("none", 0)])
    func `after an hour of downtime, missed minutes come by the policy`(_ mode: String, _ least: Int) async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let request = Self.request {
                $0.cron = "* * * * *"
                $0.catchUp = mode
            }
            let schedule = try await Self.add(request, lookedAt: 3600, stand)
            let runner = ScheduleRunner(stand.service)
            try await runner.runDue()
            let count = try await Self.titles(stand).count
            // One minute may be on time, and one may pass during the test.
            #expect((least...least + 2).contains(count), "\(count)")
            // A second runner, as on another server, finds nothing left of what the first one looked at.
            try await ScheduleRunner(stand.service).runDue()
            #expect(try await Self.titles(stand).count <= count + 1)
            let after = try await stand.database.push.schedules.find(schedule.uuid)
            #expect(after.nextDue ?? 0 > PushTime.now.milliseconds - 1000 && after.isOn)
            if mode != "all" { #expect(after.missed?.hasPrefix("missed ") == true) }
        }
    }

    @Test(.slow) func `an occurrence is sent when it is due, by a template, and the schedule ends`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let template = """
                {"name":"water","inputs":[{"name":"what","type":"string","default":"plants"}],
                "message":{"title":"water the {{what}}"}}
                """
            _ = try await stand.database.push.library.add(.template, name: "water", document: template)
            let wall = ZoneRules.utc.wall(at: PushTime.now.adding(seconds: 2))
            let request = Self.request {
                $0.message = nil
                $0.template = "water"
                $0.inputs = ["what": .string("roses")]
                $0.at = wall.description
            }
            let schedule = try await Self.add(request, lookedAt: 0, stand)
            try await stand.running([OutboxWorker(stand.service), ScheduleRunner(stand.service)]) {
                try await waitUntil { stand.channel.attempts.count == 1 }
            }
            #expect(stand.channel.attempts[0].message.title == "water the roses")
            let after = try await stand.database.push.schedules.find(schedule.uuid)
            #expect(!after.isOn && after.nextDue == nil && after.lastRun != nil)
        }
    }

    @Test func `the next times name what the clock shows, also when the clocks change`() throws {
        let request = Self.request {
            $0.cron = "30 2 * * *"
            $0.zone = "America/New_York"
        }
        let rule = try PushScheduleRule(request, zones: ZoneDatabase())
        let start = try #require(PushTime.instant("2026-03-07T12:00:00Z"))
        let next = rule.next(2, after: start)
        #expect(next.map(\.at) == ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"])
        #expect(next.map(\.local) == ["2026-03-08T03:00:00", "2026-03-09T02:30:00"])
        #expect(next.map(\.nominal) == ["2026-03-08T02:30:00", nil])
    }

    @Test func `a schedule that cannot be read is switched off, and others run`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let broken = try await stand.database.push.schedules.add(
                name: "broken", document: "{", isOn: true, now: 0, nextDue: 1, zoneVersion: nil)
            _ = try await Self.add(Self.request { $0.cron = "* * * * *" }, lookedAt: 600, stand)
            try await ScheduleRunner(stand.service).runDue()
            #expect(try await stand.database.push.schedules.find(broken.uuid).isOn == false)
            #expect(try await Self.titles(stand).isEmpty == false)
        }
    }

    @Test func `an occasion is notified of once, by its switch and template`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let watch = PushTriggerWatch(stand.service) { [] }
            try await watch.look()
            let job = try await stand.database.jobs.begin(
                kind: .backfill, parameters: "{}", as: WorkerName()
            ).job
            try await stand.database.jobs.end(job.id, .failed, message: "no model")
            try await watch.look()
            // Another server, and a look after a restart, see the same job.
            try await PushTriggerWatch(stand.service) { [] }.look()
            try await watch.look()
            let all = try await Self.titles(stand)
            #expect(all.count == 1 && all[0].contains("A job failed") && all[0].contains("no model"))

            var settings = try await PushTriggerSettings.load(stand.service.room)
            settings.triggers["jobFailed"]?.enabled = false
            try await PushTriggerSettings.store(settings, stand.service.room)
            let second = try await stand.database.jobs.begin(
                kind: .backfill, parameters: "{}", as: WorkerName()
            ).job
            try await stand.database.jobs.end(second.id, .failed, message: "again")
            try await watch.look()
            #expect(try await Self.titles(stand).count == 1)
        }
    }

    @Test func `a proposed thread and a thread that heats up are told of once`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            var settings = try await PushTriggerSettings.load(stand.service.room)
            #expect(settings.triggers["threadProposed"]?.enabled == false)
            for name in ["threadProposed", "threadHeating", "threadNew"] { settings.triggers[name]?.enabled = true }
            try await PushTriggerSettings.store(settings, stand.service.room)
            let other = try DatabaseQueue(path: stand.database.path)
            try await other.write { rows in
                for id in 1...4 {
                    try rows.execute(
                        sql:
                            "INSERT INTO raw_notes (id, title, content, created_at) VALUES (?, 'Roof', 'leak', '2026-11-20')",
                        arguments: [id])
                }
                try rows.execute(sql: "INSERT INTO threads (id, name, created_at) VALUES (7, 'Cello', '2025-01-01')")
            }
            let watch = PushTriggerWatch(stand.service) { [] }
            try await watch.look()
            let now = PushTime.now.seconds
            let proposal = StoredThreadProposal(
                kind: .new, thread: nil, name: "Roof, leak", summary: "", why: "4 notes are similar.",
                parts: [StoredThreadProposal.Part(name: "Roof, leak", notes: [1, 2, 3, 4])])
            try await stand.database.threadProposals.update([proposal], withdrawn: [], now: now)
            func heat(_ word: String, _ recent: Int) async throws {
                let row = ThreadHeatRow(thread: 7, heat: word, momentum: 2, recent: recent, before: 1)
                _ = try await stand.database.threadGroups.keep([row], now: now)
            }
            try await heat("heating", 3)
            for _ in 0..<2 { try await watch.look() }
            try await heat("heating", 4)
            try await PushTriggerWatch(stand.service) { [] }.look()
            let titles = try await Self.titles(stand)
            #expect(titles.count == 2)
            #expect(titles.contains { $0.contains("A new thread is proposed") && $0.contains("Roof, leak: 4 notes") })
            #expect(titles.contains { $0.contains("A thread is heating up") && $0.contains("Cello: 3 notes") })
            // The thread that a person accepts is not told of as one that another program added.
            let id = try #require(try await stand.database.threadProposals.stored(.open).first).id
            _ = try await stand.database.threadProposals.accept(id)
            try await watch.look()
            #expect(try await Self.titles(stand).count == 2)
            try other.close()
        }
    }

    @Test func `a goal reminds once a day, and not after its day`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let nudge = PushOccasion(
                origin: "goal/A/2026-11-22", name: "Read daily", detail: "Nothing is logged today",
                expires: PushTime.now.milliseconds + 3_600_000)
            let watch = PushTriggerWatch(stand.service, nudges: { [nudge] }) { [] }
            for _ in 0..<3 { try await watch.look() }
            // Another server, or one that starts again.
            let other = PushTriggerWatch(stand.service, nudges: { [nudge] }) { [] }
            for _ in 0..<2 { try await other.look() }
            let titles = try await Self.titles(stand)
            #expect(titles.count == 1 && titles[0].contains("Read daily") && titles[0].contains("Nothing is logged"))
            var next = nudge
            next.origin = "goal/A/2026-11-23"
            let tomorrow = PushTriggerWatch(stand.service, nudges: { [later = next] in [later] }) { [] }
            for _ in 0..<2 { try await tomorrow.look() }
            #expect(try await Self.titles(stand).count == 2)
            var settings = try await PushTriggerSettings.load(stand.service.room)
            settings.triggers["goalDue"]?.enabled = false
            try await PushTriggerSettings.store(settings, stand.service.room)
            next.origin = "goal/A/2026-11-24"
            try await PushTriggerWatch(stand.service, nudges: { [later = next] in [later] }) { [] }.look()
            #expect(try await Self.titles(stand).count == 2)
        }
    }
}
