import PushChannels
import PushRoom
import Schedules

/// Looks after what no lane does: leases of holders that are gone, clocks that jumped, and what is too old.
struct OutboxUpkeep: Sendable {
    /// Seconds by which the clock may differ from a clock that nobody sets before it counts as a jump.
    static let jump: Int64 = 60
    /// Seconds of a jump ahead after which nothing is deleted for as long: the clock may be set back.
    static let leap: Int64 = 3600

    private let room: PushRoom
    private let wakeSignals: PushWakeSignals
    private let pictures: PictureFetcher
    private let keepDays: Int
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// The leases that were seen, and since when they are as they are.
    private var seen: [PushLease: ContinuousClock.Instant] = [:]
    private var last: (wall: Instant, at: ContinuousClock.Instant)?
    private var keepsUntil: ContinuousClock.Instant?

    /// - Parameter clock: A clock that nobody sets.
    init(_ service: PushService, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (room, wakeSignals, pictures) = (service.room, service.wakeSignals, service.pictures)
        (keepDays, self.clock) = (service.settings.keepDays, clock)
    }

    /// Looks once.
    ///
    /// - Parameter held: The rows of the deliveries that this process holds; their leases are its own business.
    mutating func round(holding held: Set<Int64>, isPruning: Bool) async throws {
        let outbox = room.outbox
        let (wall, now) = (room.now, clock())
        let ahead = last.map { wall.seconds - $0.wall.seconds - (now - $0.at).components.seconds } ?? 0
        let isFirst = last == nil
        last = (wall, now)
        if ahead > Self.leap { keepsUntil = now + .seconds(Self.leap) }
        try await outbox.endLeasesOfTheDead()
        try await outbox.endLeases(silent(try await outbox.leases(), besides: held, now))
        if isFirst || ahead < -Self.jump {
            while try await outbox.pullBack(PushChannelKind.allCases.map(\.rawValue)) {}
            if !isFirst { wakeSignals.wakeAll() }
        }
        guard isPruning, keepsUntil.map({ $0 <= now }) ?? true else { return }
        try await prune(wall)
    }

    /// The leases that nobody renewed for ``OutboxWorker/silence``.
    private mutating func silent(
        _ leases: [PushLease], besides held: Set<Int64>, _ now: ContinuousClock.Instant
    ) -> [PushLease] {
        var next: [PushLease: ContinuousClock.Instant] = [:]
        for lease in leases where !held.contains(lease.id) { next[lease] = seen[lease] ?? now }
        seen = next
        return next.filter { now - $0.value >= OutboxWorker.silence }.map(\.key)
    }

    private func prune(_ wall: Instant) async throws {
        await pictures.prune(now: wall.seconds)
        for _ in 0..<20 {
            let hasMore = try await room.outbox.prune(
                olderThan: Int64(keepDays) * 86_400_000, keepingEvents: 1_000_000)
            if !hasMore { return }
        }
    }
}
