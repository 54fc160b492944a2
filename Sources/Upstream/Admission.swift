import Synchronization

/// Lets so many requests through to the upstream at once, keeps so many more waiting in order, and refuses the rest.
///
/// A request that is cancelled while it waits leaves the queue and never reaches the upstream.
public final class Admission: Sendable {
    /// Requests that the upstream has at once.
    public let maxInFlight: Int
    /// Requests that may wait.
    public let maxWaiting: Int

    private struct State {
        var inFlight = 0
        var waiting: [(id: UInt64, waiter: CheckedContinuation<Bool, Never>)] = []
        var nextID: UInt64 = 0
        var cancelledEarly: Set<UInt64> = []
    }
    private let state = Mutex(State())

    /// Creates an admission.
    public init(maxInFlight: Int, maxWaiting: Int) {
        self.maxInFlight = maxInFlight
        self.maxWaiting = maxWaiting
    }

    /// Requests that the upstream has, and requests that wait.
    public var load: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting.count) } }

    /// A place at the upstream. Releasing it twice, or dropping it, releases it once.
    public final class Permit: Sendable {
        private let admission: Admission
        private let isReleased = Mutex(false)

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { release() }

        /// Gives the place to the next who waits.
        public func release() {
            let isFirst = isReleased.withLock { released in
                defer { released = true }
                return !released
            }
            if isFirst { admission.release() }
        }
    }

    /// Waits for a place.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/overloaded`` when too many wait already, or
    ///   ``UpstreamError/Code/cancelled``.
    public func acquire() async throws(UpstreamError) -> Permit {
        enum Decision { case enter, wait(UInt64), refuse }
        let decision: Decision = state.withLock { state in
            if state.inFlight < maxInFlight, state.waiting.isEmpty {
                state.inFlight += 1
                return .enter
            }
            guard state.waiting.count < maxWaiting else { return .refuse }
            state.nextID += 1
            return .wait(state.nextID)
        }
        switch decision {
        case .enter: return Permit(self)
        case .refuse:
            throw UpstreamError(
                .overloaded, "\(maxInFlight) requests are in flight and \(maxWaiting) wait; try again later",
                retryAfterSeconds: 2)
        case .wait(let id):
            guard await wait(as: id) else { throw .cancelled }
            return Permit(self)
        }
    }

    /// Runs an operation with a place, and releases it afterwards.
    public func withPermit<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        let permit = try await acquire()
        defer { permit.release() }
        return try await operation()
    }

    private func wait(as id: UInt64) async -> Bool {
        defer { state.withLock { _ = $0.cancelledEarly.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer: Bool? = state.withLock { state in
                    if state.cancelledEarly.remove(id) != nil { return false }
                    // A place may have come free since the decision to wait.
                    if state.inFlight < maxInFlight, state.waiting.isEmpty {
                        state.inFlight += 1
                        return true
                    }
                    state.waiting.append((id, waiter))
                    return nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                    state.cancelledEarly.insert(id)
                    return nil
                }
                return state.waiting.remove(at: index).waiter
            }
            waiter?.resume(returning: false)
        }
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.inFlight -= 1
                return nil
            }
            return state.waiting.removeFirst().waiter
        }
        next?.resume(returning: true)
    }
}
