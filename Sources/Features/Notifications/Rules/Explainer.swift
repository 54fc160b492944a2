import Database
import Delivery
package import GatewayAPI
import Push
import PushChannels
package import PushRoom
import Schedules

/// Says why a delivery is what it is.
package struct Explainer: Sendable {
    private let room: PushRoom
    private let rules: RuleBook
    private let channels: LiveChannels

    package init(_ service: PushService) {
        (room, rules, channels) = (service.room, service.rules, service.channels)
    }

    /// The explanation of a delivery.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func explain(_ uuid: String) async throws -> PushExplanation {
        let (entry, device, events) = try await room.log.entry(uuid)
        let line = Self.line(entry, hasTitle: true)
        let steps = entry.delivery.steps.flatMap(Self.texts) ?? []
        var now: [String]?
        if entry.delivery.state == .queued, let device { now = decideNow(entry, device) }
        return PushExplanation(
            delivery: line, summary: Self.summary(entry), steps: steps, now: now, events: events.map { Self.event($0) })
    }

    /// What the rules of the device say at this moment.
    private func decideNow(_ entry: PushLogEntry, _ device: StoredPushDevice) -> [String]? {
        guard let value = (try? JSONDocument(parsing: Array(entry.message.body)))?.value,
            let message = try? PushMessage(value)
        else { return nil }
        let work = PushWork(
            delivery: entry.delivery, message: entry.message, device: device, supersededBy: nil, bucketFullAt: nil)
        let kind = device.kind ?? .stream
        let decision = rules.decision(work, message, room.now)
        var lines = decision.explanation(in: rules.rules(of: device.settings).zone)
        if let channel = channels.all[kind] {
            if case .stopped(let stop) = channel.state {
                lines.append("channel \(kind.rawValue): stopped since \(stop.since): \(stop.reason)")
            }
        } else {
            lines.append("channel \(kind.rawValue): not configured")
        }
        return lines
    }

    /// One sentence.
    static func summary(_ entry: PushLogEntry) -> String {
        let delivery = entry.delivery
        let reason = delivery.reason.map { ": \($0)" } ?? ""
        let rule = delivery.rule.map { " by the rule \"\($0)\"" } ?? ""
        switch delivery.state {
        case .queued where delivery.repeats > 0:
            return "Sent \(delivery.repeats) times, next at \(PushTime.text(delivery.due))\(reason)"
        case .queued where delivery.attempts > 0:
            return "Attempt \(delivery.attempts) failed, next at \(PushTime.text(delivery.due))\(reason)"
        case .queued where delivery.claim > 0: return "Held until \(PushTime.text(delivery.due))\(rule)\(reason)"
        case .queued: return "Waits until \(PushTime.text(delivery.due))"
        case .sending: return "A worker is sending it; its lease ends at \(PushTime.text(delivery.due))"
        case .sent: return "Sent at \(PushTime.text(delivery.sentAt ?? delivery.updatedAt))\(reason)"
        case .merged: return "Merged into the digest of \(PushTime.text(delivery.digestDue ?? delivery.due))\(reason)"
        case .dropped: return "Dropped\(rule)\(reason)"
        case .failed: return "Given up after \(delivery.attempts) attempts\(reason)"
        case .recalled: return "Recalled\(reason)"
        }
    }

    /// A delivery as a line of the log.
    package static func line(_ entry: PushLogEntry, hasTitle: Bool) -> PushLogLine {
        let delivery = entry.delivery
        let priority = DeliveryPriority(rawValue: entry.message.priority) ?? .normal
        var line = PushLogLine(
            id: delivery.uuid, notification: entry.message.uuid, topic: entry.message.topic,
            status: delivery.state.word, priority: priority.word, source: entry.message.source,
            attempts: delivery.attempts, createdAt: PushTime.text(delivery.createdAt))
        line.device = entry.device
        line.deviceName = entry.deviceName
        line.channel = entry.channel
        line.rule = delivery.rule
        line.reason = delivery.reason
        line.serviceId = delivery.serviceID
        line.nextAt = delivery.state == .queued ? PushTime.text(delivery.due) : nil
        if delivery.state == .merged { line.nextAt = PushTime.text(delivery.digestDue) }
        line.sentAt = PushTime.text(delivery.sentAt)
        line.deliveredAt = PushTime.text(delivery.deliveredAt)
        line.openedAt = PushTime.text(delivery.openedAt)
        line.acknowledgedAt = PushTime.text(delivery.acknowledgedAt)
        line.action = delivery.action
        if hasTitle, let value = (try? JSONDocument(parsing: Array(entry.message.body)))?.value,
            case .object(let members) = value, case .string(let title) = members["title"]
        {
            line.title = title
        }
        return line
    }

    /// An event as clients see it.
    package static func event(_ stored: StoredPushEvent) -> PushEvent {
        var event = PushEvent(
            id: stored.id, at: PushTime.text(stored.at), kind: stored.kind, detail: stored.detail)
        event.device = stored.device
        event.notification = stored.message
        event.delivery = stored.delivery
        event.topic = stored.topic
        event.message = stored.body.flatMap { (try? JSONDocument(parsing: Array($0)))?.value }
        return event
    }

    private static func texts(_ json: String) -> [String]? {
        try? JSONDocument(parsing: Array(json.utf8)).decode([String].self)
    }
}

extension PushState {
    /// The state in JSON.
    package var word: String { "\(self)" }

    package init?(word: String) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }
}
