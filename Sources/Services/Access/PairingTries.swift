import Synchronization

/// Limits wrong pairing codes to ``perMinute`` a minute, from all addresses together, so that codes cannot be guessed.
///
/// Keys and sessions are not affected: clients that are signed in never wait for others' tries.
package final class PairingTries: Sendable {
    /// Wrong codes a minute.
    package static let perMinute = 5

    private let clock: KeyClock
    private let bucket: Mutex<RequestBucket>

    init(clock: KeyClock) {
        self.clock = clock
        bucket = Mutex(RequestBucket(perMinute: Self.perMinute, at: clock.instant()))
    }

    /// Begins a try. Counts it as wrong until ``giveBack()``, so that tries at the same time are limited, too.
    ///
    /// - Throws: ``AccessRefusal/tooManyPairingTries(retryAfterSeconds:)``.
    func take() throws(AccessRefusal) {
        let now = clock.instant()
        let wait = bucket.withLock { $0.take(perMinute: Self.perMinute, at: now) }
        guard let wait else { return }
        throw AccessRefusal.tooManyPairingTries(retryAfterSeconds: Int(wait.components.seconds) + 1)
    }

    /// Uncounts a try that was right.
    func giveBack() { bucket.withLock { $0.giveBack() } }
}
