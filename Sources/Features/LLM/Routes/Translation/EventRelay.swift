import Inference
import Synchronization

/// Passes the events of an answer from the task that reads the provider to the one that writes to the client.
///
/// At most ``limit`` events wait: then the provider is held back. One task sends, one takes.
final class EventRelay: Sendable {
    static let limit = 64

    private struct State {
        var events: [ChatEvent] = []
        var end: Result<Void, any Error>?
        var taker: CheckedContinuation<Void, Never>?
        var sender: CheckedContinuation<Void, Never>?
        /// Whether nobody takes any more.
        var isClosed = false
    }
    private let state = Mutex(State())

    /// Adds an event; returns once there is room for the next.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func send(_ event: ChatEvent) async throws {
        let (taker, isFull) = state.withLock { state in
            state.events.append(event)
            defer { state.taker = nil }
            return (state.taker, state.events.count >= Self.limit)
        }
        taker?.resume()
        if isFull { await waitForRoom() }
        try Task.checkCancellation()
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    guard state.events.count >= Self.limit, !state.isClosed else { return true }
                    state.sender = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }

    /// Ends the events. An error comes behind those that were sent before.
    func end(_ result: Result<Void, any Error>) {
        let taker = state.withLock { state in
            if state.end == nil { state.end = result }
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// Waits for events and takes all that came; nil at the end.
    ///
    /// - Throws: The error with which the events end.
    func next() async throws -> [ChatEvent]? {
        while true {
            let (events, sender, end) = state.withLock { state in
                let events = state.events
                state.events = []
                defer { state.sender = nil }
                return (events, state.sender, state.end)
            }
            sender?.resume()
            if !events.isEmpty { return events }
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    guard state.events.isEmpty, state.end == nil else { return true }
                    state.taker = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        }
    }

    private func close() {
        let sender = state.withLock { state in
            state.isClosed = true
            defer { state.sender = nil }
            return state.sender
        }
        sender?.resume()
    }
}
