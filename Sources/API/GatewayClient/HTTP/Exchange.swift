import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its answer, whose body one consumer reads piece by piece.
///
/// Unread data is bounded. On Apple platforms the task is suspended above ``highWater`` bytes until the consumer has
/// read them, so that TCP slows the server down. FoundationNetworking cannot do that: a suspended task loses its
/// connection. A delegate that waits stops every session of the process, since all read on one queue. There the
/// exchange ends with an error above ``maxUnread`` bytes.
///
/// Timeouts run only while the consumer waits.
final class Exchange: Sendable {
    /// The number of unread bytes above which reading is suspended, where the platform can.
    static let highWater = 256 << 10
    /// The maximum number of unread bytes.
    static let maxUnread = 16 << 20

    private static var canHold: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// The head of an answer.
    struct Head: Sendable {
        var status: Int
        /// Header fields by lowercase name.
        var fields: [String: String]
    }

    private enum End {
        case whole
        case failed(GatewayClientError)
    }

    private struct State {
        var task: URLSessionDataTask?
        var head: Head?
        var pieces: [Data] = []
        var buffered = 0
        var isHeld = false
        var end: End?
        /// Incremented by every change of the state, so that a waiter can detect changes.
        var changes = 0
        var waiter: CheckedContinuation<Void, Never>?
        var deadline: ContinuousClock.Instant?
        var timerEnd: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Sends the request, unless the exchange was stopped before.
    func start(_ task: URLSessionDataTask) {
        let isStopped = state.withLock { state in
            state.task = task
            return state.end != nil
        }
        if isStopped { task.cancel() } else { task.resume() }
    }

    // MARK: Consumer

    /// Waits for the head of the answer.
    ///
    /// - Throws: ``GatewayClientError``.
    func head(within timeout: Duration) async throws -> Head {
        try await wait(within: timeout) { state in
            if let head = state.head { return .success(head) }
            return switch state.end {
            case nil: nil
            case .whole: .failure(GatewayClientError(.cut, "the connection ended before there was an answer"))
            case .failed(let error): .failure(error)
            }
        }
    }

    /// Returns the next piece of the body; nil after the last one.
    ///
    /// - Throws: ``GatewayClientError``.
    func next(within timeout: Duration) async throws -> Data? {
        let piece: Data? = try await wait(within: timeout) { state in
            if !state.pieces.isEmpty {
                let pieces = state.pieces
                (state.pieces, state.buffered) = ([], 0)
                return .success(pieces.count == 1 ? pieces[0] : Data(pieces.joined()))
            }
            return switch state.end {
            case nil: nil
            case .whole: .success(nil)
            case .failed(let error): .failure(error)
            }
        }
        state.withLock { state in
            guard state.isHeld, state.end == nil else { return }
            state.isHeld = false
            state.task?.resume()
        }
        return piece
    }

    /// Ends the exchange from the client's side: closes the connection and drops unread data.
    func stop(_ error: GatewayClientError) {
        let (task, waiter) = state.withLock { state in
            guard state.end == nil else {
                return (nil as URLSessionDataTask?, nil as CheckedContinuation<Void, Never>?)
            }
            state.end = .failed(error)
            state.changes += 1
            (state.pieces, state.buffered) = ([], 0)
            defer { state.waiter = nil }
            return (state.task, state.waiter)
        }
        task?.cancel()
        waiter?.resume()
    }

    // MARK: Session events

    func received(_ head: Head) { change { $0.head = head } }

    func received(_ data: Data) {
        let isTooMuch = change { state in
            guard state.end == nil else { return false }
            state.pieces.append(data)
            state.buffered += data.count
            if Self.canHold, state.buffered > Self.highWater, !state.isHeld {
                // Under the lock, so that a resume cannot precede its suspend; neither calls the delegate.
                state.isHeld = true
                state.task?.suspend()
            }
            return state.buffered > Self.maxUnread
        }
        if isTooMuch {
            stop(GatewayClientError(.tooLarge, "more than \(Self.maxUnread) bytes of the answer are unread"))
        }
    }

    func finished(_ error: (any Error)?) {
        change { state in
            guard state.end == nil else { return }
            state.end = error.map { .failed(Self.describe($0, hasHead: state.head != nil)) } ?? .whole
        }
    }

    // MARK: Waiting

    /// Changes the state and wakes the consumer.
    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, waiter) = state.withLock { state in
            let value = body(&state)
            state.changes += 1
            defer { state.waiter = nil }
            return (value, state.waiter)
        }
        waiter?.resume()
        return value
    }

    private func wait<Value: Sendable>(
        within timeout: Duration, _ ready: @Sendable (inout State) -> Result<Value, GatewayClientError>?
    ) async throws -> Value {
        let deadline = ContinuousClock.now + timeout
        while true {
            let (result, seen) = state.withLock { (ready(&$0), $0.changes) }
            if let result { return try result.get() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let (isReady, pause) = state.withLock { state -> (Bool, Duration?) in
                        // The state changed since the check above: check again.
                        guard state.changes == seen else { return (true, nil) }
                        state.waiter = continuation
                        state.deadline = deadline
                        guard state.timerEnd.map({ $0 > deadline }) ?? true else { return (false, nil) }
                        state.timerEnd = deadline
                        return (false, deadline - ContinuousClock.now)
                    }
                    if isReady { continuation.resume() } else if let pause { setTimer(pause) }
                }
            } onCancel: {
                stop(GatewayClientError(.cancelled, "the call was cancelled"))
            }
        }
    }

    private func setTimer(_ pause: Duration) {
        let seconds = Double(pause.components.seconds) + Double(pause.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + max(0, seconds)) { [weak self] in self?.timerFired() }
    }

    private func timerFired() {
        let (isOver, pause) = state.withLock { state -> (Bool, Duration?) in
            state.timerEnd = nil
            guard state.waiter != nil, let deadline = state.deadline else { return (false, nil) }
            let now = ContinuousClock.now
            guard now < deadline else { return (true, nil) }
            state.timerEnd = deadline
            return (false, deadline - now)
        }
        if let pause { setTimer(pause) }
        if isOver { stop(GatewayClientError(.timedOut, "the gateway did not answer in time")) }
    }

    private static func describe(_ error: any Error, hasHead: Bool) -> GatewayClientError {
        let failure = error as? URLError
        let reason = failure?.localizedDescription ?? "\(error)"
        switch failure?.code {
        case .cancelled?: return GatewayClientError(.cancelled, "the call was cancelled")
        case .timedOut?: return GatewayClientError(.timedOut, "the gateway did not answer in time")
        case .cannotConnectToHost?, .cannotFindHost?, .dnsLookupFailed?, .notConnectedToInternet?,
            .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?:
            return GatewayClientError(.unreachable, "the gateway cannot be reached: \(reason)")
        default:
            return GatewayClientError(
                .cut, hasHead ? "the answer was cut: \(reason)" : "the connection ended without an answer: \(reason)")
        }
    }
}
