import Inference
import Synchronization
import Transport

/// Lets each identity run a few operations at once and keeps a bounded number of its others waiting, so that one client's
/// work is that client's wait.
///
/// An operation takes two places: one of its identity's own, and then one of those that all identities share. There,
/// identities take turns (``Admission``). Memory is held for identities that run or wait only.
package final class KeyShare: Sendable {
    /// How many operations run and wait.
    package struct Limits: Sendable, Hashable {
        /// Operations of one identity at once.
        package var running: Int
        /// Operations of one identity that wait.
        package var waiting: Int
        /// Operations of all identities at once.
        package var total: Int

        /// Reads of many rows. One of the four readers of the database stays free for short reads.
        package static let scans = Limits(running: 2, waiting: 64, total: 3)
        /// Searches of the index. They share passes over it, so more of them at once cost little.
        package static let searches = Limits(running: 16, waiting: 256, total: 64)
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
        // Who waits here has a place of its own already, which bounds how many those are.
        all = Admission(
            limits: AdmissionLimits(maxInFlight: limits.total, maxWaiting: .max / 4, maxWaitingPerIdentity: .max / 4))
    }

    /// Operations that run, and operations that wait.
    package var load: (running: Int, waiting: Int) {
        let shared = all.load
        let waiting = own.withLock { $0.values.reduce(0) { $0 + $1.admission.load.waiting } }
        return (shared.inFlight, shared.waiting + waiting)
    }

    /// Runs an operation when it is its identity's turn. Cancelling the task gives the place to the next.
    ///
    /// - Throws: ``AccessRefusal/tooManyOperations(running:waiting:retryAfterSeconds:)``,
    ///   ``UpstreamError`` with ``UpstreamError/Code/cancelled``, and what the operation throws.
    package func run<Value: Sendable>(_ identity: String, _ operation: () async throws -> Value) async throws -> Value {
        let admission = enter(identity)
        defer { leave(identity) }
        let caller = AdmissionCaller(identity)
        let place = try await place(admission, caller)
        defer { place.release() }
        let turn = try await all.acquire(caller)
        defer { turn.release() }
        return try await operation()
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
