import AssociationRoom
import Foundation
import GatewayAPI
import JobRoom
import Machine
import Push
import PushChannels
import PushRoom
import Storage
import TestSupport
import Testing

@testable import Notifications

/// Which way a shortcut goes to a device, and what a WebSocket says of events.
@Suite struct SocketRules {
    private static func shortcut(_ stand: PushStand) -> PushOrder {
        stand.order("") { message in
            message.title = nil
            message.data = ["execute_shortcut": .object(["shortcutName": .string("Lights"), "input": .string("on")])]
        }
    }

    private static func events(_ device: StoredPushDevice, _ stand: PushStand) async throws -> [StoredPushEvent] {
        let batch = try await stand.database.push.log.events(
            after: 0, device: device.id, kinds: ["sent"], hasBodies: true, limit: 100)
        guard case .events(let events, _) = batch else { return [] }
        return events
    }

    @Test func `a shortcut goes over the stream of a device that reads it, and as a push to one that does not`()
        async throws
    {
        try await PushStand.with { stand in
            let device = try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let pushed = try await stand.service.sending.submit(Self.shortcut(stand))
                try await waitUntil { try await stand.states(pushed.message.uuid) == [.sent] }
                #expect(stand.channel.attempts.count == 1)
                let reader = stand.service.hub.join(device.uuid)
                let streamed = try await stand.service.sending.submit(Self.shortcut(stand))
                try await waitUntil { try await stand.states(streamed.message.uuid) == [.sent] }
                let text = try await stand.service.sending.submit(stand.order("text"))
                try await waitUntil { try await stand.states(text.message.uuid) == [.sent] }
                withExtendedLifetime(reader) {}
                // The shortcut was not pushed a second time, the text was.
                #expect(stand.channel.attempts.count == 2)
                #expect(stand.channel.attempts.last?.message.title == "text")
            }
            let events = try await Self.events(device, stand)
            #expect(events.map { PushSocket.wasPushed($0, device) } == [true, false, false])
            #expect(
                events.map { PushSocket.message(of: $0)["type"] } == [
                    .string("execute_shortcut"), .string("execute_shortcut"), .string("notification"),
                ])
            #expect(PushSocket.message(of: events[1])["shortcutName"] == .string("Lights"))
            #expect(PushSocket.message(of: events[1])["input"] == .string("on"))
        }
    }

    @Test func `a pair of similar notes is notified of once, if it is switched on`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            let watch = PushTriggerWatch(stand.service) { [] }
            try await watch.look()
            _ = try await stand.database.notes.insert(
                ["tide", "moon", "pier"].map { NoteDraft(title: $0, content: $0) })
            func compare(_ pairs: [(Int64, Int64)]) async throws {
                let job = try await stand.database.jobs.begin(
                    kind: .associations, parameters: "{}", as: WorkerName()
                ).job.id
                _ = try await stand.database.associations.begin(job, in: SpaceID(1), running: [job])
                try await stand.database.associations.keep(
                    pairs.map { NotePair(first: $0.0, second: $0.1, similarity: 0.9) }, of: job, upTo: 9)
                _ = try await stand.database.associations.publish(of: job)
                try await stand.database.jobs.end(job, .done, message: nil)
            }
            try await compare([(1, 2)])
            try await compare([(1, 2), (1, 3)])
            try await watch.look()
            #expect(try await stand.database.push.log.page(PushLogFilter(), after: nil, limit: 10).items.isEmpty)
            var settings = try await PushTriggerSettings.load(stand.service.room)
            settings.triggers["nearPair"]?.enabled = true
            try await PushTriggerSettings.store(settings, stand.service.room)
            try await watch.look()
            try await watch.look()
            try await PushTriggerWatch(stand.service) { [] }.look()
            let lines = try await stand.database.push.log.page(PushLogFilter(), after: nil, limit: 10).items
            #expect(lines.count == 1 && lines.first?.message.topic == "nearPair")
            let body = lines.first.map { String(decoding: $0.message.body, as: UTF8.self) } ?? ""
            #expect(body.contains("tide – pier"), "\(body)")
        }
    }
}
