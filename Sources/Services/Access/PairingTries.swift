import Synchronization

/// Limits wrong pairing codes, so that codes of 34 bits cannot be guessed: ``perMinute`` a minute from one address, and
/// ``perMinuteInAll`` from all together.
///
/// A stranger alone cannot keep others from pairing; strangers with twelve addresses can. Within the five minutes of a code
/// at most 300 of its 1.7 × 10^10 values are tried. Keys and sessions are not affected.
package final class PairingTries: Sendable {
    /// Wrong codes a minute from one address.
    package static let perMinute = 5
    /// Wrong codes a minute from all addresses.
    package static let perMinuteInAll = 60
    /// Addresses that are remembered. Those that are full again are forgotten first.
    static let maxAddresses = 1024

    private struct State {
        var all: RequestBucket
        var own: [ClientAddress: RequestBucket] = [:]
    }

    private let clock: KeyClock
    private let state: Mutex<State>

    init(clock: KeyClock) {
        self.clock = clock
        state = Mutex(State(all: RequestBucket(perMinute: Self.perMinuteInAll, at: clock.instant())))
    }

    /// Begins a try. Counts it as wrong until ``giveBack(_:)``, so that tries at the same time are limited, too.
    ///
    /// - Throws: ``AccessRefusal/tooManyPairingTries(retryAfterSeconds:)``.
    func take(_ address: ClientAddress) throws(AccessRefusal) {
        let now = clock.instant()
        let wait = state.withLock { state -> Duration? in
            if state.own[address] == nil, state.own.count >= Self.maxAddresses {
                state.own = state.own.filter { !$0.value.isFull(at: now) }
                // Each remembered address has tried a code within the last minute, so the limit of all is used up.
                guard state.own.count < Self.maxAddresses else { return .seconds(60) }
            }
            var bucket = state.own[address] ?? RequestBucket(perMinute: Self.perMinute, at: now)
            let wait = bucket.take(perMinute: Self.perMinute, at: now)
            state.own[address] = bucket
            if let wait { return wait }
            guard let wait = state.all.take(perMinute: Self.perMinuteInAll, at: now) else { return nil }
            state.own[address]?.giveBack()
            return wait
        }
        guard let wait else { return }
        throw AccessRefusal.tooManyPairingTries(retryAfterSeconds: Int(wait.components.seconds) + 1)
    }

    /// Uncounts a try that was right.
    func giveBack(_ address: ClientAddress) {
        state.withLock { state in
            state.all.giveBack()
            state.own[address]?.giveBack()
        }
    }
}
