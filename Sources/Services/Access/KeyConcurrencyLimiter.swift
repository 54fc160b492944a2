import Inference
import Synchronization
import Transport

/// Limits how many operations of each identity run and wait at once, so that a client's work delays only that client.
///
/// An operation takes two places: one of its identity's own, then one of those that all identities limiter. At the shared
/// places, identities take turns (``Admission``). Only identities that run or wait take memory.
package final class KeyConcurrencyLimiter: Sendable {
    /// How many operations may run and wait.
    package struct Limits: Sendable, Hashable {
        /// Operations of one identity that run at once.
        package var running: Int
        /// Operations of one identity that wait.
        package var waiting: Int
        /// Operations of all identities that run at once.
        package var total: Int

        /// Reads of many rows. One of the four readers of the database stays free for short reads.
        package static let scans = Limits(running: 2, waiting: 64, total: 3)
        /// Searches of the index. Concurrent searches limiter passes over the index, so more of them cost little.
        package static let searches = Limits(running: 16, waiting: 256, total: 64)
        /// Answers to GET that are made: each may hold a long text several times until it counts as unsent.
        package static let answers = Limits(running: 12, waiting: 4096, total: 64)
        /// Files that are received.
        package static let uploads = Limits(running: 2, waiting: 16, total: 8)
        /// Pages that are drawn, each by a process of its own that keeps a core busy.
        package static let drawings = Limits(running: 1, waiting: 16, total: 2)
        /// Searches of the web, which wait for another server.
        package static let webSearches = Limits(running: 4, waiting: 32, total: 16)
        /// Web pages that are fetched, and read by a process of their own.
        package static let webPages = Limits(running: 2, waiting: 16, total: 4)
    }

    /// Operations that were refused because too many of their identity waited.
    package let refused = Tally()

    private struct Own {
        let admission: Admission
        var users = 0
    }

    private let limits: Limits
    private let all: Admission
    private let own = Mutex<[String: Own]>([:])

    package init(_ limits: Limits) {
        self.limits = limits
        // No limit on waiting is needed here: an operation that waits here already has one of its identity's own
        // places.
        all = Admission(
            limits: AdmissionLimits(maxInFlight: limits.total, maxWaiting: .max / 4, maxWaitingPerIdentity: .max / 4))
    }

    /// The number of running and of waiting operations.
    package var load: (running: Int, waiting: Int) {
        let shared = all.load
        let waiting = own.withLock { $0.values.reduce(0) { $0 + $1.admission.load.waiting } }
        return (shared.inFlight, shared.waiting + waiting)
    }

    /// Runs an operation when it is its identity's turn. Cancelling the task gives the place to the next operation.
    ///
    /// - Throws: ``AccessRefusal/tooManyOperations(running:waiting:retryAfterSeconds:)``, ``UpstreamError`` with
    ///   ``UpstreamError/Code/cancelled``, and the errors of the operation.
    package func run<Value: Sendable>(_ identity: String, _ operation: () async throws -> Value) async throws -> Value {
        let turn = try await take(identity)
        defer { turn.end() }
        return try await operation()
    }

    /// Waits for the turn of an operation, which lasts until ``Turn/end()``. Cancelling the task gives the place to the next one.
    ///
    /// - Throws: As ``run(_:_:)``.
    package func take(_ identity: String) async throws -> Turn {
        let admission = enter(identity)
        do {
            let caller = AdmissionCaller(identity)
            let place = try await place(admission, caller)
            do { return Turn(self, identity, place, try await all.acquire(caller)) } catch {
                place.release()
                throw error
            }
        } catch {
            leave(identity)
            throw error
        }
    }

    /// The turn of an operation. It ends once, at the latest with the last reference.
    package final class Turn: Sendable {
        private let limiter: KeyConcurrencyLimiter
        private let identity: String
        private let permits: [Admission.Permit]
        private let isOver = Atomic(false)

        fileprivate init(
            _ limiter: KeyConcurrencyLimiter, _ identity: String, _ place: Admission.Permit, _ turn: Admission.Permit
        ) {
            (self.limiter, self.identity, permits) = (limiter, identity, [turn, place])
        }

        deinit { end() }

        /// Gives the places to the next operations.
        package func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            for permit in permits { permit.release() }
            limiter.leave(identity)
        }
    }

    private func place(_ admission: Admission, _ caller: AdmissionCaller) async throws -> Admission.Permit {
        do throws(UpstreamError) {
            return try await admission.acquire(caller)
        } catch {
            guard error.code == .overloaded else { throw error }
            refused.add()
            throw tooMany(error)
        }
    }

    private func tooMany(_ error: UpstreamError) -> AccessRefusal {
        .tooManyOperations(
            running: limits.running, waiting: limits.waiting, retryAfterSeconds: error.retryAfterSeconds ?? 1)
    }

    private func enter(_ identity: String) -> Admission {
        own.withLock { own in
            var entry =
                own[identity]
                ?? Own(
                    admission: Admission(
                        limits: AdmissionLimits(
                            maxInFlight: limits.running, maxWaiting: limits.waiting,
                            maxWaitingPerIdentity: limits.waiting)))
            entry.users += 1
            own[identity] = entry
            return entry.admission
        }
    }

    private func leave(_ identity: String) {
        own.withLock { own in
            guard let users = own[identity]?.users else { return }
            own[identity]?.users = users - 1
            if users <= 1 { own[identity] = nil }
        }
    }
}
