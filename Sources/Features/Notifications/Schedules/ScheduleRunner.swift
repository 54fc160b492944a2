import Database
import GatewayAPI
import Logging
import Push
import PushRoom
import Schedules
import ServiceLifecycle

/// Stores the notifications of schedules when they are due.
///
/// It sleeps at most ``look`` and reads the clock anew, so a clock that jumps ahead is a catch-up. An occurrence is stored
/// in one transaction with the schedule's next look, under a name that is unique, so over several servers and after a
/// clock that went back each one is sent once, and none is lost.
package final class ScheduleRunner: Service {
    /// The longest sleep.
    static let look = Duration.seconds(1)

    private let room: PushRoom
    private let sending: PushSending
    private let templates: PushTemplates
    private let rules: RuleBook
    private let wakeSignal: WakeSignal
    private let logger: Logger

    package init(_ service: PushService) {
        (room, sending, templates) = (service.room, service.sending, service.templates)
        (rules, wakeSignal, logger) = (service.rules, service.wakeSignals.schedules, service.logger)
    }

    /// Runs until graceful shutdown.
    package func run() async throws {
        await withGracefulShutdownHandler {
            while !Task.isStopping {
                do { try await runDue() } catch is CancellationError {} catch {
                    logger.warning("a schedule failed; it is tried again", metadata: ["error": "\(error)"])
                }
                let next = (try? await room.schedules.nextDue()).flatMap { $0 }
                await wakeSignal.wait(atMost: OutboxWorker.pause(until: next, now: room.now))
            }
        } onGracefulShutdown: {
            self.wakeSignal.signal()
        }
    }

    /// Runs what is due now.
    package func runDue() async throws {
        let version = rules.refreshZones()
        let now = room.now
        let due = try await room.schedules.due(
            at: now.milliseconds, zoneVersion: version, limit: 100)
        for schedule in due { try await advance(schedule, to: now, version) }
    }

    private func advance(_ stored: StoredPushSchedule, to now: Instant, _ version: String?) async throws {
        let store = room.schedules
        // A clock that went back by little leaves the last look where it is. One that had been far ahead does not silence the
        // schedule until then: it is looked at from now on, and the origins of messages keep what was sent from running twice.
        let isAhead = stored.lookedAt > now.milliseconds + PushScheduleStore.tolerance
        let looked = isAhead ? now : Instant(milliseconds: stored.lookedAt)
        let lookedAt = max(looked.milliseconds, now.milliseconds)
        func leave(_ reason: String) async throws {
            logger.error(
                "a schedule cannot run and is switched off",
                metadata: ["schedule": "\(stored.name)", "error": "\(reason)"])
            _ = try await store.advance(
                stored, lookedAt: lookedAt, nextDue: nil, zoneVersion: version,
                lastRun: nil, missed: reason, isOn: false, storing: [])
        }
        let request: PushScheduleRequest
        let rule: PushScheduleRule
        let due: CatchUp.Due
        do {
            request = try JSONDocument(parsing: Array(stored.document.utf8)).decode(PushScheduleRequest.self)
            rule = try PushScheduleRule(request, zones: rules.zones)
            due = try rule.catchUp.due(rule.schedule, after: looked, now: now)
        } catch {
            return try await leave("\(error)")
        }
        var drafts: [PushDraft] = []
        var devices: [StoredPushDevice] = []
        var missed = due.firstMissed.map { "missed \($0.id(schedule: stored.name))" }
        if !due.run.isEmpty {
            do {
                devices = try await sending.devices(request.devices)
                for occurrence in due.run { drafts.append(try await draft(stored, request, occurrence, now, devices)) }
            } catch let error as PushRefusal {
                missed = "not sent: \(error)"
            } catch let error as StorageError where error.code == .invalid {
                missed = "not sent: \(error.message)"
            }
        }
        let next = rule.nextDue(after: max(looked, now))
        let isOurs = try await store.advance(
            stored, lookedAt: lookedAt, nextDue: next, zoneVersion: version,
            lastRun: due.run.last?.id(schedule: stored.uuid), missed: missed, isOn: next != nil, storing: drafts)
        if isOurs, !drafts.isEmpty { sending.wakeSignals.wake(devices) }
    }

    private func draft(
        _ stored: StoredPushSchedule, _ request: PushScheduleRequest, _ occurrence: Occurrence, _ now: Instant,
        _ devices: [StoredPushDevice]
    ) async throws -> PushDraft {
        var message = try await templates.message(request.message, request.template, request.inputs)
        // The reader of a late reminder has to know that it is late.
        let late = now.seconds - occurrence.instant.seconds
        if late > 60 { message.data["late_seconds"] = .integer(late) }
        var order = PushOrder(message)
        order.topic = request.topic ?? "default"
        order.source = "schedule"
        order.origin = "schedule/" + occurrence.id(schedule: "\(stored.uuid)/\(stored.revision)")
        return try sending.draft(await sending.keepingPicture(order), to: devices)
    }
}
