import Foundation
import Synchronization

/// Waits for sockets on one thread of its own, so that no thread of the cooperative pool blocks.
///
/// The number of waits is bounded by the connections of the pools, one each.
final class SocketWatch: Sendable {
    /// The watch of all connections. Its thread starts with the first wait.
    static let shared = SocketWatch()

    /// What a wait ended with.
    enum Outcome: Sendable { case ready, timedOut, cancelled }

    private struct Wait {
        var socket: Int32
        var events: Int16
        var deadline: ContinuousClock.Instant?
        var continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var next: UInt64 = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    /// The ends of a pipe that wakes the thread: to read, to write.
    private let wake: (read: Int32, write: Int32)

    private init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress.unsafelyUnwrapped) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        wake = (ends[0], ends[1])
    }

    /// Waits until a socket is ready.
    ///
    /// - Parameters:
    ///   - events: `POLLIN`, `POLLOUT` or both.
    ///   - deadline: When to give up; never when nil.
    ///   - isCancellable: Whether the end of the task ends the wait.
    func wait(
        _ socket: Int32, for events: Int16, until deadline: ContinuousClock.Instant?, isCancellable: Bool = true
    ) async -> Outcome {
        guard socket >= 0, wake.read >= 0 else { return .ready }
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.waits[number] = Wait(
                        socket: socket, events: events, deadline: deadline, continuation: continuation)
                    guard !state.isRunning else { return }
                    state.isRunning = true
                    Thread.detachNewThread { self.run() }
                }
                wakeUp()
                // The task may have ended before the wait was known.
                if isCancellable, Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            if isCancellable { cancel(number) }
        }
    }

    private func cancel(_ number: UInt64) {
        let wait = state.withLock { $0.waits.removeValue(forKey: number) }
        wait?.continuation.resume(returning: .cancelled)
    }

    private func wakeUp() {
        var byte: UInt8 = 0
        _ = unsafe write(wake.write, &byte, 1)
    }

    private func run() {
        while true {
            let waits = state.withLock { $0.waits }
            let order = Array(waits.keys)
            var sockets = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
            sockets += order.map { pollfd(fd: waits[$0]?.socket ?? -1, events: waits[$0]?.events ?? 0, revents: 0) }
            let now = ContinuousClock.now
            let soonest = waits.values.compactMap(\.deadline).min()
            let timeout = soonest.map { max(0, min(60_000, Int32(($0 - now) / .milliseconds(1)) + 1)) } ?? -1
            _ = unsafe poll(&sockets, nfds_t(sockets.count), timeout)
            if sockets[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 256)
                while unsafe read(wake.read, &bytes, bytes.count) > 0 {}
            }
            let later = ContinuousClock.now
            var ended: [(CheckedContinuation<Outcome, Never>, Outcome)] = []
            state.withLock { state in
                for (place, number) in order.enumerated() {
                    guard let wait = state.waits[number] else { continue }
                    if sockets[place + 1].revents != 0 {
                        ended.append((wait.continuation, .ready))
                    } else if let deadline = wait.deadline, deadline <= later {
                        ended.append((wait.continuation, .timedOut))
                    } else {
                        continue
                    }
                    state.waits[number] = nil
                }
            }
            for (continuation, outcome) in ended { continuation.resume(returning: outcome) }
        }
    }
}
