import Delivery
import GatewayAPI
import Push
import PushChannels
import PushRoom
import Schedules

/// Decides about one delivery and sends it.
struct DeliverySender: Sendable {
    /// How long a delivery waits while its channel is stopped, in milliseconds.
    static let stopPause: Int64 = 60_000
    /// Milliseconds between looks for a picture that is being fetched.
    static let picturePause: Int64 = 300
    /// Retries: 12 attempts, from a second to 15 minutes apart.
    static let retries = RetrySchedule()
    /// Repeats of emergencies.
    static let repeats = EmergencyRepeat()

    let kind: PushChannelKind
    let channels: LiveChannels
    let rules: RuleBook
    let messages: MessageCache
    let pictures: PictureFetcher
    let hub: StreamHub
    let clock: @Sendable () -> Int64

    init(_ kind: PushChannelKind, of service: PushService, messages: MessageCache) {
        (self.kind, self.messages, clock) = (kind, messages, service.room.clock)
        (channels, rules, pictures, hub) = (service.channels, service.rules, service.pictures, service.hub)
    }

    /// The time by which deliveries are due.
    var now: Instant { Instant(milliseconds: clock()) }

    /// Makes one attempt; the record has the delivery's next state.
    func attempt(_ work: PushWork) async -> PushRecord {
        var record = PushRecord(work.delivery, revision: work.message.revision)
        guard !work.message.isRecalled else {
            record.finish(.recalled, "the sender took it back", event: "recalled", at: now)
            return record
        }
        guard work.device.retired == nil else {
            record.finish(
                .failed, "the device is retired: \(work.device.retired ?? "")", event: "failed", at: now)
            return record
        }
        guard let message = messages.message(of: work.message) else {
            record.finish(.failed, "the stored message cannot be read", event: "failed", at: now)
            return record
        }
        let now = self.now
        let decision = rules.decision(work, message, now)
        let lines = decision.steps.map(\.line)
        record.delivery.steps = Self.text(lines)
        record.delivery.rule = decision.rule?.rawValue
        if decision.bucket.fullAt != work.bucketFullAt.map({ Instant(milliseconds: $0) }),
            let full = decision.bucket.fullAt
        {
            record.bucket = (work.message.topic, full.milliseconds)
        }
        let reason = decision.steps.last { $0.verdict == .decides }?.reason ?? ""
        switch decision.outcome {
        case .send:
            let picture = message.image.map { pictures.look($0, of: work.message.uuid) }
            if let picture { record.delivery.steps = Self.text(lines + [picture.line]) }
            guard picture != .pending else {
                record.waitForPicture(
                    until: now.adding(milliseconds: Self.picturePause), isFirst: work.delivery.claim <= 1)
                break
            }
            await send(work, picture?.message(of: message) ?? message, now, &record)
            if case .left(let why)? = picture, record.delivery.state == .sent {
                record.delivery.reason = [record.delivery.reason, "without its picture: \(why)"].compactMap { $0 }
                    .joined(separator: "; ")
            }
        case .hold(let until):
            record.delivery.state = .queued
            record.delivery.due = until.milliseconds
            record.delivery.reason = reason
            record.event = ("held", reason)
        case .merge(let digest):
            record.delivery.digestDue = digest.instant.milliseconds
            record.finish(.merged, reason, event: "merged", at: now)
        case .drop: record.finish(.dropped, reason, event: "dropped", at: now)
        }
        return record
    }

    private func send(_ work: PushWork, _ message: PushMessage, _ now: Instant, _ record: inout PushRecord) async {
        // Another server may have got a key since.
        if kind == .apns { await channels.lookAtAPNs() }
        guard let channel = channels.all[kind] else {
            if kind == .apns, await channels.isAPNsOnItsWay() {
                return record.wait(until: now.adding(milliseconds: 1000), "this server is reading the new key of APNs")
            }
            record.finish(.failed, "the channel \(kind.rawValue) is not configured", event: "failed", at: now)
            return
        }
        let target: PushTarget
        do {
            target = try channels.target(of: work.device, usesOther: work.delivery.triedOther)
        } catch {
            record.finish(.failed, "\(error)", event: "failed", at: now)
            return
        }
        let history = PushAttempt.History(
            addressHasWorked: work.device.hasWorked && !work.delivery.triedOther,
            triedOtherEnvironment: work.delivery.triedOther, renewedToken: work.delivery.renewed)
        let attempt = PushAttempt(
            id: work.delivery.uuid, message: message, topic: work.message.topic, target: target,
            created: Instant(milliseconds: work.message.createdAt), now: now, history: history)
        // A device that reads its stream gets the shortcut there; a silent push would run it a second time.
        let isThere = message.data["execute_shortcut"] != nil && hub.isOnline(work.device.uuid)
        let report =
            isThere && kind != .stream ? PushReport(StreamChannel.outcome) : await channel.send(attempt)
        record.delivery.attempts += 1
        record.delivery.serviceID = report.serviceID
        record.delivery.reason = report.outcome.explanation
        let after = now
        let progress = PushProgress(
            attempt: record.delivery.attempts, registered: Instant(milliseconds: work.device.registeredAt),
            expires: work.message.expires.map(Instant.init(milliseconds:)), seed: UInt64(bitPattern: work.delivery.id))
        let step = progress.step(after: report.verdict, now: after, schedule: Self.retries)
        apply(step, report, work, message, after, &record)
    }

    private func apply(
        _ step: PushStep, _ report: PushReport, _ work: PushWork, _ message: PushMessage, _ now: Instant,
        _ record: inout PushRecord
    ) {
        let said = report.outcome.explanation
        switch step {
        case .delivered:
            record.delivery.sentAt = now.milliseconds
            // What went into a stream says nothing of the address.
            if report.status != nil { record.device = .worked(environment: report.environment?.rawValue) }
            record.finish(.sent, said, event: "sent", at: now)
            if message.priority == .emergency { emergency(work, now, &record) }
        case .again(let instant):
            record.delivery.state = .queued
            record.delivery.due = instant.milliseconds
            record.event = ("retry", "\(said); again at \(instant)")
        case .againElsewhere:
            record.delivery.triedOther.toggle()
            record.delivery.state = .queued
            record.delivery.due = now.milliseconds
            record.event = ("retry", "\(said); now in the other environment")
        case .againWithNewToken:
            record.delivery.renewed = true
            record.delivery.state = .queued
            record.delivery.due = now.milliseconds
            record.event = ("retry", said)
        case .retireDevice:
            if case .retire(let before) = report.verdict {
                record.device = .retired(registeredBefore: before.milliseconds, reason: said)
            }
            record.finish(.failed, said, event: "failed", at: now)
        case .stopChannel:
            // An operator has to change something; the attempt does not count.
            record.delivery.attempts -= 1
            record.wait(until: now.adding(milliseconds: Self.stopPause), said)
        case .dead(let reason): record.finish(.failed, "\(reason.rawValue): \(said)", event: "failed", at: now)
        }
    }

    /// Sends an emergency again later, until someone acknowledges it.
    private func emergency(_ work: PushWork, _ now: Instant, _ record: inout PushRecord) {
        let times = work.delivery.repeats + 1
        let first = work.delivery.firstSentAt.map(Instant.init(milliseconds:)) ?? now
        record.delivery.repeats = times
        let next = Self.repeats.next(
            times: times, first: first, last: now, isAcknowledged: work.delivery.acknowledgedAt != nil)
        switch next {
        case .again(let instant):
            record.delivery.state = .queued
            record.delivery.due = instant.milliseconds
            record.delivery.attempts = 0
            record.delivery.reason = "nobody acknowledged it after \(times) sends; again at \(instant)"
        case .acknowledged: break
        case .limitReached: record.delivery.reason = "nobody acknowledged it; it was sent \(times) times, the limit"
        case .expired: record.delivery.reason = "nobody acknowledged it within \(Self.repeats.lifetime) s"
        }
    }

    /// A JSON list of texts.
    static func text(_ lines: [String]) -> String {
        String(decoding: JSONValue.array(lines.map(JSONValue.string)).json, as: UTF8.self)
    }
}

extension DeliveryDecision.Step {
    var line: String { "\(rule.rawValue): \(verdict.rawValue): \(reason)" }
}

extension PictureFetcher.Look {
    /// The line of the explanation.
    fileprivate var line: String {
        switch self {
        case .kept(let url, _): "picture: kept: devices get \(url)"
        case .pending: "picture: waits: it is being fetched"
        case .left(let why): "picture: left out: \(why)"
        }
    }

    /// A message as it is sent.
    fileprivate func message(of message: PushMessage) -> PushMessage {
        var message = message
        message.image = nil
        if case .kept(let url, _) = self { message.image = url }
        return message
    }
}

extension PushRecord {
    /// Has the delivery wait for its picture, as if nobody had looked at it: the rate is not charged.
    fileprivate mutating func waitForPicture(until instant: Instant, isFirst: Bool) {
        bucket = nil
        delivery.state = .queued
        delivery.due = instant.milliseconds
        delivery.reason = "its picture is being fetched"
        event = isFirst ? ("held", "its picture is being fetched") : nil
    }

    /// Ends the delivery.
    fileprivate mutating func finish(
        _ state: PushState, _ reason: String, event kind: String, at now: Instant
    ) {
        delivery.state = state
        delivery.due = now.milliseconds
        delivery.reason = reason
        event = (kind, reason)
    }

    /// Has the delivery wait without an attempt.
    fileprivate mutating func wait(until instant: Instant, _ reason: String) {
        delivery.state = .queued
        delivery.due = instant.milliseconds
        delivery.reason = reason
        event = ("held", reason)
    }
}
