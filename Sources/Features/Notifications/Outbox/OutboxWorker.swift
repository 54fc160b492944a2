import Logging
import Machine
import PushChannels
import PushRoom
import Schedules
import ServiceLifecycle
import Synchronization

/// Sends what is due: a lane for each channel, so that a slow one holds up no other.
///
/// A lane takes deliveries for ``lease`` milliseconds, decides by the device's rules, sends as many at once as the channel
/// wants, and records what came of them in groups. A lane sleeps until the next delivery is due, a new one comes or
/// ``look`` has passed, since another process may have stored one.
package final class OutboxWorker: Service {
    /// Milliseconds that a delivery is held; renewed while it is being sent.
    static let lease: Int64 = 60_000
    /// How long a lease stays unrenewed before its holder counts as gone. By a clock that nobody sets, so that clocks that
    /// jump or differ end no lease.
    static let silence = Duration.seconds(60)
    /// How often leases are renewed.
    static let renewal = Duration.seconds(20)
    /// The longest sleep of a lane.
    static let look = Duration.seconds(1)
    /// Deliveries that one query takes at most.
    static let batch = 200
    /// How long results are gathered for one transaction while others are on their way, from ``crowd`` on.
    static let gathering = Duration.milliseconds(3)
    static let crowd = 16
    /// How long a lane waits for more free places while most are taken.
    static let pausing = Duration.milliseconds(4)
    /// How often leases are looked after, and after how many of these looks old notifications are deleted.
    static let upkeep = Duration.seconds(10)
    static let roundsToPrune = 60
    /// How long open attempts may run on after a shutdown began.
    static let shutdownTimeout = Duration.seconds(5)

    let worker = WorkerName()
    private let channels: LiveChannels
    private let room: PushRoom
    private let wakeSignals: PushWakeSignals
    private let digests: DigestComposer
    private let upkeep: OutboxUpkeep
    private let logger: Logger
    private let lanes: [Lane]

    package init(_ service: PushService) {
        (channels, wakeSignals, logger) = (service.channels, service.wakeSignals, service.logger)
        room = service.room
        digests = DigestComposer(outbox: room.outbox, wakeSignals: wakeSignals)
        upkeep = OutboxUpkeep(service)
        let (worker, messages) = (worker, MessageCache())
        lanes = PushChannelKind.allCases.map { kind in
            Lane(kind, DeliverySender(kind, of: service, messages: messages), of: service, worker: worker)
        }
    }

    /// Runs until graceful shutdown.
    package func run() async throws {
        await caught("the configuration of APNs") { try await channels.refreshAPNs() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for lane in lanes { group.addTask { await lane.run() } }
                group.addTask { await self.digest() }
                group.addTask { await self.maintain() }
            }
        } onGracefulShutdown: {
            self.wakeSignals.wakeAll()
            // Attempts that take too long end with their channel, so that their results are still recorded.
            Task { await self.channels.all.shutdown(within: Self.shutdownTimeout) }
        }
    }

    /// Makes digests of what was merged when they are due.
    private func digest() async {
        while !Task.isStopping {
            await caught("a digest") { try await digests.storeDue() }
            let next = (try? await room.outbox.nextDigest()).flatMap { $0 }
            await wakeSignals.digests.wait(atMost: Self.pause(until: next, now: room.now))
        }
    }

    /// Ends leases of processes that died, looks after clocks that jumped, and prunes.
    private func maintain() async {
        let wakeSignal = WakeSignal()
        await withGracefulShutdownHandler {
            var upkeep = upkeep
            var rounds = 0
            while !Task.isStopping {
                let held = lanes.reduce(into: Set<Int64>()) { $0.formUnion($1.held) }
                let isPruning = rounds % Self.roundsToPrune == 0
                rounds += 1
                do { try await upkeep.round(holding: held, isPruning: isPruning) } catch is CancellationError {} catch {
                    logger.warning(
                        "the upkeep of notifications failed; it is tried again", metadata: ["error": "\(error)"])
                }
                await caught("the configuration of APNs") { try await channels.refreshAPNs() }
                await wakeSignal.wait(atMost: Self.upkeep)
            }
        } onGracefulShutdown: {
            wakeSignal.signal()
        }
    }

    private func caught(_ what: String, _ body: () async throws -> Void) async {
        do { try await body() } catch is CancellationError {} catch {
            logger.warning("\(what) failed; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// The time until an instant, at most ``look``.
    static func pause(until due: Int64?, now: Instant) -> Duration {
        guard let due else { return look }
        // A due time of another program may be any number.
        let (rest, isBeyond) = due.subtractingReportingOverflow(now.milliseconds)
        return isBeyond ? look : min(look, max(.milliseconds(1), .milliseconds(rest)))
    }
}

extension Task where Success == Never, Failure == Never {
    /// Whether the current task has to end soon.
    static var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }
}

/// The deliveries of one channel.
final class Lane: Sendable {
    private struct State {
        /// Deliveries that are being sent, by id, with the number of their lease.
        var held: [Int64: Int64] = [:]
        /// What has to be written.
        var records: [PushRecord] = []
        var hasEnded = false
    }

    private let kind: PushChannelKind
    private let worker: WorkerName
    private let outbox: PushOutbox
    private let tally: OutboxTally
    private let digests: WakeSignal
    private let logger: Logger
    private let sender: DeliverySender
    private let state = Mutex(State())
    private let recorded = WakeSignal()
    private let ended = WakeSignal()
    private let wakeSignal: WakeSignal

    init(_ kind: PushChannelKind, _ sender: DeliverySender, of service: PushService, worker: WorkerName) {
        self.kind = kind
        (self.worker, self.sender) = (worker, sender)
        (outbox, tally, logger) = (service.room.outbox, service.tally, service.logger)
        digests = service.wakeSignals.digests
        wakeSignal = service.wakeSignals.lanes[kind] ?? WakeSignal()
    }

    /// The rows of the deliveries that are being sent.
    var held: Set<Int64> { state.withLock { Set($0.held.keys) } }

    private var capacity: Int { max(1, sender.channels.all[kind]?.capacity ?? 64) }

    func run() async {
        // Tasks of their own: a cancelled lane still records what came of its attempts, and keeps them until then.
        let recording = Task { await self.record() }
        let renewing = Task { await self.renew() }
        await withDiscardingTaskGroup { attempts in
            var hasPaused = false
            var hasMore = false
            while !Task.isStopping {
                let room = capacity - state.withLock { $0.held.count }
                guard room > 0 else {
                    await wakeSignal.wait(atMost: OutboxWorker.look)
                    continue
                }
                // Few places at a time would cost a transaction each.
                if room < capacity / 4, !hasPaused {
                    hasPaused = true
                    await wakeSignal.wait(atMost: OutboxWorker.pausing)
                    continue
                }
                hasPaused = false
                // Reads before it takes, so that an idle lane writes nothing. After a full batch more is due as a rule.
                if !hasMore {
                    let next = (try? await outbox.nextDue(of: kind.rawValue)).flatMap { $0 }
                    guard let next, next <= sender.now.milliseconds else {
                        await wakeSignal.wait(atMost: OutboxWorker.pause(until: next, now: sender.now))
                        continue
                    }
                }
                let count = min(room, OutboxWorker.batch)
                let work = await take(count)
                hasMore = work.count == count
                if work.isEmpty {
                    // What is due waits for another delivery, or another worker took it.
                    await wakeSignal.wait(atMost: .milliseconds(20))
                    continue
                }
                for item in work { attempts.addTask { await self.attempt(item) } }
            }
        }
        state.withLock { $0.hasEnded = true }
        recorded.signal()
        ended.signal()
        await recording.value
        await renewing.value
    }

    private func take(_ count: Int) async -> [PushWork] {
        do {
            let work = try await outbox.take(
                count, of: kind.rawValue, lease: OutboxWorker.lease, as: worker)
            state.withLock { state in for item in work { state.held[item.delivery.id] = item.delivery.claim } }
            return work
        } catch {
            logger.warning("deliveries cannot be taken", metadata: ["error": "\(error)"])
            try? await Task.sleep(for: .milliseconds(200))
            return []
        }
    }

    private func attempt(_ work: PushWork) async {
        let record = await sender.attempt(work)
        state.withLock { $0.records.append(record) }
        recorded.signal()
    }

    /// Writes what came of attempts, all that came meanwhile in one transaction.
    private func record() async {
        while true {
            let isCrowded = state.withLock {
                !$0.records.isEmpty && $0.held.count - $0.records.count >= OutboxWorker.crowd
            }
            if isCrowded, kind != .stream { try? await Task.sleep(for: OutboxWorker.gathering) }
            let (records, hasEnded) = state.withLock { state in
                defer { state.records.removeAll() }
                return (state.records, state.hasEnded)
            }
            if records.isEmpty {
                if hasEnded { return }
                await recorded.wait(atMost: .seconds(60))
                continue
            }
            await write(records)
            state.withLock { state in
                for record in records { state.held[record.delivery.id] = nil }
            }
            wakeSignal.signal()
            sender.hub.signal()
            if records.contains(where: { $0.delivery.state == .merged }) { digests.signal() }
        }
    }

    /// Writes records; a busy or full disk is waited for, until the leases end anyway.
    private func write(_ records: [PushRecord]) async {
        // A task of its own, since a record must be written although this task was cancelled.
        await Task { [outbox, tally, logger, kind] in
            for attempt in 0..<60 {
                do {
                    try await outbox.record(records)
                    for record in records { tally.count(record, kind) }
                    return
                } catch {
                    if attempt == 0 {
                        logger.error(
                            "results of deliveries cannot be stored; trying again", metadata: ["error": "\(error)"])
                    }
                    try? await Task.sleep(for: .milliseconds(500))
                }
            }
        }.value
    }

    private func renew() async {
        while true {
            await ended.wait(atMost: OutboxWorker.renewal)
            let (held, hasEnded) = state.withLock { state in
                (state.held.map { (id: $0.key, claim: $0.value) }, state.hasEnded)
            }
            if hasEnded { return }
            try? await outbox.renew(held, lease: OutboxWorker.lease)
        }
    }
}
