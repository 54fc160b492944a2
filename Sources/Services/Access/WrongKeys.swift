import Synchronization

/// Slows down clients that try keys, by their address. A valid key is never slowed down.
///
/// The first few wrong keys are answered at once. Each further answer is delayed longer than the last, at most 2 s, and
/// after many the answer is 429. At most ``maxSleepersPerAddress`` answers of an address are delayed at once. Further
/// wrong keys get a 429 at once, and the connection is closed. The table holds ``maxAddresses`` addresses; the one with
/// the oldest failure is evicted first.
package final class WrongKeys: Sendable {
    /// Failures of an address that are answered at once.
    static let free = 10.0
    /// Failures from which the answer is 429.
    static let tooMany = 30.0
    /// Failures that are forgotten in a minute.
    private static let forgottenPerMinute = 10.0
    /// The largest count of failures: after 10 minutes all are forgotten.
    private static let most = 100.0
    private static let firstDelay = Duration.milliseconds(50)
    static let longestDelay = Duration.seconds(2)
    static let maxAddresses = 4096
    static let maxSleepers = 256
    static let maxSleepersPerAddress = 8

    /// The number of wrong keys.
    package let count = Tally()
    /// Wrong keys that were answered with 429.
    package let refused = Tally()

    private struct Failures {
        var level = 0.0
        var at: ContinuousClock.Instant
        var sleepers = 0

        /// The failures that are not forgotten yet.
        func level(at now: ContinuousClock.Instant) -> Double {
            max(0, level - max(0, (now - at) / .seconds(60)) * WrongKeys.forgottenPerMinute)
        }
    }

    private struct State {
        var failures: [ClientAddress: Failures] = [:]
        var sleepers = 0
    }

    private let clock: KeyClock
    private let state = Mutex(State())

    init(clock: KeyClock) { self.clock = clock }

    /// Counts a wrong key and waits for the delay of its answer.
    ///
    /// - Parameter wait: Sleeps, at most until the client leaves.
    /// - Returns: The answer.
    /// - Throws: The errors of `wait`.
    package func refuse(
        _ address: ClientAddress, wait: (Duration) async throws -> Void
    ) async throws -> AccessRefusal {
        count.add()
        let now = clock.instant()
        let (level, maySleep) = state.withLock { Self.count(address, at: now, &$0) }
        guard level > Self.free else { return .wrongKey }
        guard maySleep else { return tooMany(level, closes: true) }
        defer { state.withLock { Self.wake(address, &$0) } }
        try await wait(Self.delay(level))
        return level > Self.tooMany ? tooMany(level, closes: false) : .wrongKey
    }

    /// The delay of the answer after a number of failures.
    package static func delay(_ level: Double) -> Duration {
        guard level > free else { return .zero }
        var delay = firstDelay
        for _ in 1..<max(1, Int(min(level, most) - free)) where delay < longestDelay { delay *= 2 }
        return min(delay, longestDelay)
    }

    private func tooMany(_ level: Double, closes: Bool) -> AccessRefusal {
        refused.add()
        let seconds = (level - Self.tooMany) / Self.forgottenPerMinute * 60
        let wait = Int(min(3600, max(1, seconds.rounded(.up))))
        return .tooManyWrongKeys(retryAfterSeconds: wait, closes: closes)
    }

    private static func count(
        _ address: ClientAddress, at now: ContinuousClock.Instant, _ state: inout State
    ) -> (level: Double, maySleep: Bool) {
        if state.failures[address] == nil { makeRoom(at: now, &state) }
        var failures = state.failures[address] ?? Failures(at: now)
        failures.level = min(most, failures.level(at: now) + 1)
        failures.at = now
        let sleeps =
            failures.level > free && state.sleepers < maxSleepers && failures.sleepers < maxSleepersPerAddress
        if sleeps {
            failures.sleepers += 1
            state.sleepers += 1
        }
        state.failures[address] = failures
        return (failures.level, sleeps)
    }

    private static func wake(_ address: ClientAddress, _ state: inout State) {
        state.sleepers -= 1
        state.failures[address]?.sleepers -= 1
    }

    /// Removes addresses without remembered failures; if that is not enough, evicts the one with the oldest failure.
    private static func makeRoom(at now: ContinuousClock.Instant, _ state: inout State) {
        guard state.failures.count >= maxAddresses else { return }
        state.failures = state.failures.filter { $0.value.sleepers > 0 || $0.value.level(at: now) > 0 }
        guard state.failures.count >= maxAddresses else { return }
        // There are fewer sleepers than addresses, so there is an address without one.
        let oldest = state.failures.filter { $0.value.sleepers == 0 }.min { $0.value.at < $1.value.at }
        if let oldest { state.failures[oldest.key] = nil }
    }
}
