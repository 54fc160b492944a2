import Database
import GatewayAPI
import KeyRoom
import Logging
import Push
package import PushRoom
import Schedules
import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks for what the gateway notifies of by itself.
///
/// Every occasion has a name that is unique over all servers, so it is notified of once, whatever is looked at again.
package final class PushTriggerWatch: Service {
    /// The state of an upstream.
    package struct Upstream: Sendable, Hashable {
        package var name: String
        package var isUp: Bool
        package var reason: String?

        package init(name: String, isUp: Bool, reason: String?) {
            self.name = name
            self.isUp = isUp
            self.reason = reason
        }
    }

    /// How often it looks.
    static let interval = Duration.seconds(2)
    /// Seconds that an upstream is down or back before it counts, so that one that comes and goes is quiet.
    static let stableSeconds: Int64 = 30
    /// The share of a quota from which on it counts as nearly used.
    static let quotaShare = 0.9
    private static let cursorName = "trigger cursor"
    /// Seconds between two stores of the cursor while nothing happens.
    private static let storeInterval: Int64 = 300

    private struct Seen {
        /// What was told of each upstream, and since when it is otherwise.
        var upstreams: [String: (toldUp: Bool, changedAt: Int64?)] = [:]
        var quotaLook: Int64 = 0
        /// How far this process looked, and when that was stored.
        var cursor: PushTriggerCursor?
        var storedAt: Int64 = 0
    }

    private let room: PushRoom
    private let keys: KeyRoom
    private let occasions: PushOccasions
    private let sending: PushSending
    private let templates: PushTemplates
    private let logger: Logger
    private let upstreams: @Sendable () -> [Upstream]
    private let nudges: @Sendable () async throws -> [PushOccasion]
    private let seen = Mutex(Seen())

    /// - Parameters:
    ///   - nudges: The goals to remind of now, each with the same origin for a day.
    ///   - upstreams: The current state of all upstreams.
    package init(
        _ service: PushService, nudges: @escaping @Sendable () async throws -> [PushOccasion] = { [] },
        upstreams: @escaping @Sendable () -> [Upstream]
    ) {
        (room, keys, occasions) = (service.room, service.keys, service.occasions)
        (sending, templates, logger) = (service.sending, service.templates, service.logger)
        self.nudges = nudges
        self.upstreams = upstreams
    }

    /// Looks every ``interval`` until graceful shutdown.
    package func run() async throws {
        let wakeSignal = WakeSignal()
        await withGracefulShutdownHandler {
            while !Task.isStopping {
                do { try await look() } catch is CancellationError {} catch {
                    logger.warning("triggers of notifications failed", metadata: ["error": "\(error)"])
                }
                await wakeSignal.wait(atMost: Self.interval)
            }
        } onGracefulShutdown: {
            wakeSignal.signal()
        }
    }

    /// Looks once.
    package func look() async throws {
        let switches = try await PushTriggerSettings.load(room).triggers
        guard let cursor = try await cursor() else {
            return try await store(try await occasions.start())
        }
        let started = try await occasions.start()
        if let trigger = on(.jobFailed, switches) {
            for job in try await occasions.endedJobs(.failed, cursor) {
                try await notify(.jobFailed, trigger, job, "A job failed", "\(job.name): \(job.detail)")
            }
        }
        if let trigger = on(.jobDone, switches) {
            for job in try await occasions.endedJobs(.done, cursor) {
                try await notify(.jobDone, trigger, job, "A job is done", "\(job.name) \(job.detail)")
            }
        }
        if let trigger = on(.answerReady, switches) {
            for answer in try await occasions.readyAnswers(cursor) {
                try await notify(.answerReady, trigger, answer, "An answer is ready", answer.name)
            }
        }
        if let trigger = on(.briefingReady, switches) {
            for briefing in try await occasions.newBriefings(cursor) {
                try await notify(.briefingReady, trigger, briefing, "Your briefing is ready", briefing.name)
            }
        }
        if let trigger = on(.nearPair, switches) {
            for pair in try await occasions.newPairs(cursor) {
                try await notify(.nearPair, trigger, pair, "Two notes are alike", "\(pair.name) – \(pair.detail)")
            }
        }
        if let trigger = on(.threadProposed, switches) {
            for thread in try await occasions.proposedThreads(cursor) {
                try await notify(
                    .threadProposed, trigger, thread, "A new thread is proposed", "\(thread.name): \(thread.detail)")
            }
        }
        if let trigger = on(.threadHeating, switches) {
            for thread in try await occasions.heatingThreads(cursor) {
                try await notify(
                    .threadHeating, trigger, thread, "A thread is heating up", "\(thread.name): \(thread.detail)")
            }
        }
        let threads = try await occasions.newThreads(cursor)
        if let trigger = on(.threadNew, switches) {
            for thread in threads.occasions { try await notify(.threadNew, trigger, thread, "New thread", thread.name) }
        }
        try await lookAtUpstreams(switches)
        try await lookAtQuotas(switches)
        try await lookAtGoals(switches)
        // Times have a resolution of a second, so the last seconds are looked at again.
        let next = PushTriggerCursor(since: Self.earlier(started.since), thread: threads.newest)
        seen.withLock { $0.cursor = next }
        // What is looked at again after a restart is known by its name, so the cursor need not be stored each time.
        let now = PushTime.now.seconds
        let isOld = seen.withLock { abs(now - $0.storedAt) >= Self.storeInterval }
        if next.thread != cursor.thread || isOld { try await store(next) }
    }

    private func on(_ kind: PushTriggerKind, _ switches: [String: PushTrigger]) -> PushTrigger? {
        switches[kind.rawValue].flatMap { $0.enabled ? $0 : nil }
    }

    private func lookAtUpstreams(_ switches: [String: PushTrigger]) async throws {
        let now = PushTime.now.seconds
        var changed: [Upstream] = []
        let current = upstreams()
        seen.withLock { seen in
            for upstream in current {
                var known = seen.upstreams[upstream.name] ?? (true, nil)
                if upstream.isUp == known.toldUp {
                    known.changedAt = nil
                } else if let at = known.changedAt {
                    if now - at >= Self.stableSeconds {
                        known = (upstream.isUp, nil)
                        changed.append(upstream)
                    }
                } else {
                    known.changedAt = now
                }
                seen.upstreams[upstream.name] = known
            }
            let names = Set(current.map(\.name))
            seen.upstreams = seen.upstreams.filter { names.contains($0.key) }
        }
        for upstream in changed {
            let kind: PushTriggerKind = upstream.isUp ? .upstreamBack : .upstreamDown
            guard let trigger = on(kind, switches) else { continue }
            // Another server on the same file sees the same upstream: within five minutes it is one occasion.
            let occasion = PushOccasion(
                origin: "\(kind.rawValue)/\(upstream.name)/\(now / 300)", name: upstream.name,
                detail: upstream.reason ?? "")
            try await notify(
                kind, trigger, occasion, upstream.isUp ? "An upstream is back" : "An upstream is down",
                upstream.isUp ? upstream.name : "\(upstream.name): \(upstream.reason ?? "no answer")")
        }
    }

    private func lookAtQuotas(_ switches: [String: PushTrigger]) async throws {
        guard let trigger = on(.quotaNear, switches) else { return }
        let now = PushTime.now.seconds
        let isDue = seen.withLock { seen in
            guard now - seen.quotaLook >= 30 || now < seen.quotaLook else { return false }
            seen.quotaLook = now
            return true
        }
        guard isDue else { return }
        let limited = try await keys.all().filter {
            $0.revokedAt == nil && $0.grant.tokensPerDay != nil
        }
        guard !limited.isEmpty else { return }
        let today = UTCDay.today
        var used: [Int64: Int] = [:]
        for (place, usage) in try await keys.usage(since: today) {
            used[place.key] = usage.tokens.addingWithoutOverflow(used[place.key] ?? 0)
        }
        for key in limited {
            guard let limit = key.grant.tokensPerDay, Double(used[key.id] ?? 0) >= Double(limit) * Self.quotaShare
            else { continue }
            let occasion = PushOccasion(
                origin: "quota/\(key.id)/\(today.end)", name: key.name,
                detail: "\(used[key.id] ?? 0) of \(limit) tokens")
            try await notify(
                .quotaNear, trigger, occasion, "A key is near its quota", "\(key.name): \(occasion.detail)")
        }
    }

    private func lookAtGoals(_ switches: [String: PushTrigger]) async throws {
        guard let trigger = on(.goalDue, switches) else { return }
        for goal in try await nudges() { try await notify(.goalDue, trigger, goal, goal.name, goal.detail) }
    }

    private func notify(
        _ kind: PushTriggerKind, _ trigger: PushTrigger, _ occasion: PushOccasion, _ title: String, _ text: String
    ) async throws {
        do {
            var message = try await message(kind, trigger, occasion, title, text)
            if let expires = occasion.expires { message.expires = Instant(milliseconds: expires) }
            var order = PushOrder(message)
            order.topic = trigger.topic ?? kind.rawValue
            order.devices = trigger.devices
            order.source = "trigger"
            order.origin = "trigger/\(occasion.origin)"
            _ = try await sending.submit(order)
        } catch PushRefusal.noDevice {
            // Nobody wants notifications.
        } catch let error as PushRefusal {
            logger.warning("a trigger cannot notify", metadata: ["trigger": "\(kind)", "error": "\(error)"])
        } catch let error as StorageError where error.code == .invalid {
            logger.warning("a trigger cannot notify", metadata: ["trigger": "\(kind)", "error": "\(error)"])
        }
    }

    /// The built-in message, or that of the trigger's template with those of the inputs that it has.
    private func message(
        _ kind: PushTriggerKind, _ trigger: PushTrigger, _ occasion: PushOccasion, _ title: String, _ text: String
    ) async throws -> PushMessage {
        if let name = trigger.template, let stored = try await room.library.find(.template, name) {
            let template = try PushTemplates.read(stored.document)
            let values: [String: JSONValue] = [
                "name": .string(occasion.name), "detail": .string(occasion.detail), "title": .string(title),
                "text": .string(text),
            ]
            let names = Set(template.inputs.map(\.name))
            return try await templates.render(name, values.filter { names.contains($0.key) })
        }
        var message = PushMessage()
        message.title = title
        message.body = String(decoding: text.utf8.prefix(1000), as: UTF8.self).filter { !$0.isNewline }
        message.thread = kind.rawValue
        if kind != .upstreamBack { message.sound = PushSound() }
        return message
    }

    private func cursor() async throws -> PushTriggerCursor? {
        if let cursor = seen.withLock({ $0.cursor }) { return cursor }
        guard let text = try await room.library.setting(Self.cursorName) else { return nil }
        return try? JSONDocument(parsing: Array(text.utf8)).decode(PushTriggerCursor.self)
    }

    private func store(_ cursor: PushTriggerCursor) async throws {
        let data = try JSONEncoder().encode(cursor)
        try await room.library.set(Self.cursorName, String(decoding: data, as: UTF8.self))
        seen.withLock { seen in
            seen.cursor = cursor
            seen.storedAt = PushTime.now.seconds
        }
    }

    /// A time two seconds earlier.
    private static func earlier(_ text: String) -> String {
        Timestamp.unixSeconds(text).map { Timestamp.text($0 - 2) } ?? text
    }
}
