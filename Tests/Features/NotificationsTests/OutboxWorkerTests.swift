import Delivery
import Foundation
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

/// The worker of the outbox: what is stored is sent once, whatever fails on the way.
@Suite struct OutboxWorkers {
    @Test func `a message is sent at once, with the delivery's id, and recorded`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                // The worker is asleep by now or soon; both are fine.
                let stored = try await stand.service.sending.submit(stand.order("a"))
                let id = try #require(stored.deliveries.first?.delivery.uuid)
                try await waitUntil { try await stand.states(stored.message.uuid) == [.sent] }
                #expect(stand.channel.attempts.map(\.id) == [id])
                #expect(stand.channel.attempts[0].message.title == "a")
                let explanation = try await Explainer(stand.service).explain(id)
                #expect(explanation.summary.hasPrefix("Sent at ") && explanation.delivery.serviceId == "id")
                #expect(explanation.steps.count == 7 && explanation.events.map(\.kind) == ["sent"])
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a message wakes the lane of its channel, and no worker waits for a look`()
        async throws
    {
        try await PushStand.with { stand in
            try await stand.device()
            let wakeSignal = try #require(stand.service.wakeSignals.lanes[.webhook])
            for _ in 0..<50 {
                let worker = Task { await wakeSignal.wait(atMost: .seconds(3600)) }
                _ = try await stand.service.sending.submit(stand.order("a"))
                await worker.value
            }
        }
    }

    @Test(.slow) func `a failure is retried with a pause, and a refusal ends the delivery`() async throws {
        let channel = RecordingChannel { attempt, before in
            switch attempt.message.title {
            case "refused": PushReport(PushOutcome(.refused, "never"))
            case "dead": PushReport(PushOutcome(.retire(registeredBefore: .latest), "gone"))
            default:
                before == 0
                    ? PushReport(PushOutcome(.retry(after: nil), "later")) : PushReport(PushOutcome(.accepted, "ok"))
            }
        }
        try await PushStand.with(channel) { stand in
            let device = try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let refused = try await stand.service.sending.submit(stand.order("refused"))
                let retried = try await stand.service.sending.submit(stand.order("retried"))
                try await waitUntil { try await stand.states(refused.message.uuid) == [.failed] }
                try await waitUntil { try await stand.states(retried.message.uuid) == [.sent] }
                let delivery = try await stand.database.push.outbox.find(retried.message.uuid).deliveries[0].delivery
                #expect(delivery.attempts == 2)
                let events = try await Explainer(stand.service).explain(delivery.uuid).events
                #expect(events.map(\.kind) == ["retry", "sent"])
                // By hand, a given-up one is tried again.
                _ = try await stand.service.changes.retry(refused.deliveries[0].delivery.uuid)
                try await waitUntil { channel.attempts.count { $0.message.title == "refused" } == 2 }
                try await waitUntil { try await stand.states(refused.message.uuid) == [.failed] }
                // Discarded by hand, it is no failed one any more.
                let outbox = stand.database.push.outbox
                let discarded = try await outbox.discard(refused.deliveries[0].delivery.uuid)
                #expect(discarded.state == .dropped && discarded.reason?.hasPrefix("discarded by hand") == true)
                let refusal = await #expect(throws: StorageError.self) {
                    _ = try await outbox.discard(refused.deliveries[0].delivery.uuid)
                }
                #expect(refusal?.code == .conflict)
                let dead = try await stand.service.sending.submit(stand.order("dead"))
                try await waitUntil { try await stand.states(dead.message.uuid) == [.failed] }
                #expect(try await stand.database.push.devices.find(device.uuid).retired == "gone")
                await #expect(throws: PushRefusal.noDevice) {
                    _ = try await stand.service.sending.submit(stand.order("more"))
                }
            }
        }
    }

    @Test func `what a worker held when it died is sent by the next one, and nothing is lost`() async throws {
        try await PushStand.with { stand in
            try await stand.device("one")
            try await stand.device("two")
            var ids: Set<String> = []
            for number in 0..<100 {
                let stored = try await stand.service.sending.submit(stand.order("\(number)"))
                ids.formUnion(stored.deliveries.map(\.delivery.uuid))
            }
            // A worker that takes some and never comes back.
            let taken = try await stand.database.push.outbox.take(30, of: "webhook", lease: 1, as: WorkerName())
            #expect(taken.count == 30)
            try await stand.database.push.outbox.endLeases(try await stand.database.push.outbox.leases())
            try await stand.running([OutboxWorker(stand.service), OutboxWorker(stand.service)]) {
                try await waitUntil { try await stand.database.push.outbox.openCount(upTo: 1) == 0 }
            }
            #expect(Set(stand.channel.attempts.map(\.id)) == ids)
            // Two workers side by side send nothing twice.
            #expect(stand.channel.attempts.count == ids.count)
        }
    }

    @Test func `a slow channel holds up no other, and takes no more than it can`() async throws {
        let running = Mutex<(now: Int, most: Int)>((0, 0))
        let gate = AsyncStream.makeStream(of: Void.self)
        let channel = RecordingChannel(.webhook, capacity: 4) { _, _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for await _ in gate.stream {}
            running.withLock { $0.now -= 1 }
            return PushReport(PushOutcome(.accepted, "ok"))
        }
        try await PushStand.with(channel) { stand in
            try await stand.device()
            let stream = try await stand.database.push.devices.register(
                PushRegistration(name: "tab", channel: "stream", address: "tab", target: "{}")
            ).device
            try await stand.running([OutboxWorker(stand.service)]) {
                var order = stand.order("slow")
                order.devices = ["phone"]
                for _ in 0..<10 { _ = try await stand.service.sending.submit(order) }
                try await waitUntil { running.withLock { $0.now } == 4 }
                order.devices = [stream.uuid]
                let fast = try await stand.service.sending.submit(order)
                try await waitUntil { try await stand.states(fast.message.uuid) == [.sent] }
                gate.continuation.finish()
                try await waitUntil { try await stand.database.push.outbox.openCount(upTo: 1) == 0 }
            }
            #expect(running.withLock { $0.most } == 4 && channel.attempts.count == 10)
        }
    }

    @Test func `an emergency repeats until someone acknowledges it`() async throws {
        try await PushStand.with { stand in
            try await stand.device()
            try await stand.running([OutboxWorker(stand.service)]) {
                let stored = try await stand.service.sending.submit(stand.order("fire") { $0.priority = .emergency })
                let id = stored.deliveries[0].delivery.uuid
                try await waitUntil {
                    try await stand.database.push.outbox.find(stored.message.uuid).deliveries[0].delivery.repeats == 1
                }
                let waiting = try await Explainer(stand.service).explain(id)
                #expect(waiting.delivery.status == "queued" && waiting.summary.hasPrefix("Sent 1 times, next at"))
                _ = try await stand.service.changes.note(.acknowledged, of: id)
                #expect(try await stand.states(stored.message.uuid) == [.sent])
                #expect(try await stand.database.push.outbox.openCount(upTo: 1) == 0)
            }
        }
    }

    @Test func `a recall reaches a stream that has the message, and stops what waits`() async throws {
        try await PushStand.with { stand in
            let tab = try await stand.database.push.devices.register(
                PushRegistration(name: "tab", channel: "stream", address: "tab", target: "{}")
            ).device
            try await stand.running([OutboxWorker(stand.service)]) {
                let sent = try await stand.service.sending.submit(stand.order("a"))
                try await waitUntil { try await stand.states(sent.message.uuid) == [.sent] }
                var later = stand.order("b")
                later.notBefore = PushTime.now.adding(seconds: 3600)
                let waiting = try await stand.service.sending.submit(later)
                _ = try await stand.service.changes.recall(waiting.message.uuid)
                _ = try await stand.service.changes.recall(sent.message.uuid)
                #expect(try await stand.states(waiting.message.uuid) == [.recalled])
                try await waitUntil { try await stand.database.push.outbox.openCount(upTo: 1) == 0 }
                let batch = try await stand.database.push.log.events(
                    after: 0, device: tab.id, kinds: ["sent", "recalled"], hasBodies: true, limit: 10)
                guard case .events(let events, _) = batch else {
                    Issue.record("expected events")
                    return
                }
                #expect(events.filter { $0.kind == "recalled" }.count == 2)
                #expect(events.contains { String(decoding: $0.body ?? Data(), as: UTF8.self).contains("recall") })
            }
        }
    }
}
