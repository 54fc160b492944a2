import Delivery
import Foundation
import GatewayAPI
import Machine
import Push
import PushChannels
import PushRoom
import Schedules
import Storage
import TestSupport
import Testing

@testable import Notifications

/// Quiet hours, digests, rates and mutes: what is held or dropped, and what the explanation says of it.
@Suite struct DeviceRulesTests {
    /// Quiet hours that last for the next hours, whatever the time is.
    static func quietNow(breakThrough: String? = nil) -> PushDeviceSettings {
        let wall = ZoneRules.utc.wall(at: PushTime.now)
        func clock(_ minute: Int) -> String {
            let (hour, rest) = ((minute % 1440) / 60, minute % 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
        }
        var settings = PushDeviceSettings()
        settings.quietHours = .init(
            windows: [.init(start: clock(wall.minuteOfDay + 1380), end: clock(wall.minuteOfDay + 120))],
            breakThrough: breakThrough)
        return settings
    }

    @Test func `quiet hours hold a message, and a high priority breaks through`() async throws {
        try await PushStand.with { stand in
            try await stand.device(settings: Self.quietNow(breakThrough: "high"))
            try await stand.running([OutboxWorker(stand.service)]) {
                let held = try await stand.service.sending.submit(stand.order("a"))
                let sent = try await stand.service.sending.submit(stand.order("b") { $0.priority = .high })
                try await waitUntil { try await stand.states(sent.message.uuid) == [.sent] }
                let id = held.deliveries[0].delivery.uuid
                try await waitUntil { try await Explainer(stand.service).explain(id).delivery.rule != nil }
                let explanation = try await Explainer(stand.service).explain(id)
                #expect(explanation.delivery.rule == "quiet hours" && explanation.delivery.status == "queued")
                #expect(explanation.summary.hasPrefix("Held until ") && explanation.delivery.nextAt != nil)
                #expect(explanation.now?.last?.hasPrefix("held until ") == true)
                #expect(stand.channel.attempts.map(\.message.title) == ["b"])
            }
        }
    }

    @Test func `messages of low priority come together in one digest`() async throws {
        try await PushStand.with { stand in
            let device = try await stand.device()
            var ids: [String] = []
            for number in 0..<12 {
                let stored = try await stand.service.sending.submit(
                    stand.order("title \(number)") { $0.priority = number == 5 ? .normal : .low })
                ids.append(stored.deliveries[0].delivery.uuid)
            }
            // As the worker records it when a digest rule applies, at a time that has come: one time, so one digest.
            let due = PushTime.now.milliseconds - 1000
            let records = try await stand.database.push.outbox.take(
                100, of: "webhook", lease: 60_000, as: WorkerName()
            ).map { work in
                var record = PushRecord(work.delivery, revision: 1)
                record.delivery.state = .merged
                record.delivery.digestDue = due
                return record
            }
            try await stand.database.push.outbox.record(records)
            try await stand.running([OutboxWorker(stand.service)]) {
                try await waitUntil { stand.channel.attempts.count == 1 }
            }
            let message = try #require(stand.channel.attempts.first?.message)
            #expect(message.title == "12 notifications")
            let lines = message.body?.split(separator: "\n") ?? []
            #expect(lines.count == 9 && lines[0] == "title 5" && lines.last == "and 4 more")
            #expect(try await stand.database.push.outbox.dueDigests(limit: 10).isEmpty)
            let explanation = try await Explainer(stand.service).explain(ids[0])
            #expect(explanation.summary.hasPrefix("Merged into the digest of"))
            #expect(device.retired == nil)
        }
    }

    @Test func `a rate holds what is too much, and a mute drops`() async throws {
        try await PushStand.with { stand in
            var settings = PushDeviceSettings()
            settings.rate = .init(burst: 2, seconds: 3600)
            settings.mutes = [.init(topic: "noise")]
            try await stand.device(settings: settings)
            try await stand.running([OutboxWorker(stand.service)]) {
                var stored: [PushSubmission] = []
                for number in 0..<3 {
                    stored.append(try await stand.service.sending.submit(stand.order("\(number)")))
                    // One after the other, so that the bucket of each decision is that of the one before.
                    if number < 2 {
                        let id = stored[number].message.uuid
                        try await waitUntil { try await stand.states(id) == [.sent] }
                    }
                }
                let last = stored[2].deliveries[0].delivery.uuid
                try await waitUntil { try await Explainer(stand.service).explain(last).delivery.rule == "rate" }
                var noise = stand.order("noise")
                noise.topic = "noise"
                let dropped = try await stand.service.sending.submit(noise)
                try await waitUntil { try await stand.states(dropped.message.uuid) == [.dropped] }
                let explanation = try await Explainer(stand.service).explain(dropped.deliveries[0].delivery.uuid)
                #expect(explanation.summary == "Dropped by the rule \"mute\": topic noise is muted without an end")
                #expect(stand.channel.attempts.count == 2)
            }
        }
    }

    @Test(arguments: [
        #"{"zone":"Mars/Base"}"#, #"{"quietHours":{"windows":[{"start":"7:00","end":"08:00"}]}}"#,
        #"{"quietHours":{"windows":[{"start":"00:00","end":"24:00"}]}}"#,
        #"{"quietHours":{"windows":[{"start":"07:00","end":"08:00","weekdays":["monday"]}]}}"#,
        #"{"quietHours":{"windows":[{"start":"07:00","end":"08:00"}],"breakThrough":"loud"}}"#,
        #"{"digest":{"at":[]}}"#, #"{"digest":{"at":["25:00"]}}"#, #"{"rate":{"burst":0,"seconds":1}}"#,
        #"{"rate":{"burst":1,"seconds":0}}"#, #"{"mutes":[{"until":"soon"}]}"#,
    ])
    func `settings that make no sense name their field`(_ json: String) throws {
        let settings = try JSONDecoder().decode(PushDeviceSettings.self, from: Data(json.utf8))
        do {
            _ = try DeviceRules(settings, zones: ZoneDatabase())
            Issue.record("accepted \(json)")
        } catch {
            guard case .field(let name, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(name.hasPrefix("settings."))
        }
    }

    @Test(arguments: [
        ("2026-12-24T18:00:00Z", 1_798_135_200), ("2026-12-24T19:00:00+01:00", 1_798_135_200),
        ("2026-12-24 18:00", 1_798_135_200), ("2026-12-24T18:00:00.5Z", 1_798_135_200),
    ])
    func `times are read with and without a zone`(_ text: String, _ seconds: Int64) {
        #expect(PushTime.instant(text)?.seconds == seconds)
        #expect(PushTime.instant(text + "x") == nil)
    }
}
