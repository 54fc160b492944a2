import Push
import PushChannels
import Schedules
import Synchronization

/// A channel that records what it is given, and answers as a test says.
final class RecordingChannel: PushChannel {
    private struct State {
        var attempts: [PushAttempt] = []
    }

    let kind: PushChannelKind
    let capacity: Int
    private let state_ = Mutex(State())
    private let answer: @Sendable (PushAttempt, Int) async -> PushReport

    /// - Parameter answer: Gets the attempt and how many of the same delivery came before.
    init(
        _ kind: PushChannelKind = .webhook, capacity: Int = 64,
        answer: @escaping @Sendable (PushAttempt, Int) async -> PushReport = { _, _ in
            PushReport(PushOutcome(.accepted, "taken"), serviceID: "id")
        }
    ) {
        self.kind = kind
        self.capacity = capacity
        self.answer = answer
    }

    var state: PushChannelState { .ready }
    var attempts: [PushAttempt] { state_.withLock { $0.attempts } }

    func check(_ attempt: PushAttempt) throws(PushFieldError) {}

    func send(_ attempt: PushAttempt) async -> PushReport {
        let before = state_.withLock { state in
            defer { state.attempts.append(attempt) }
            return state.attempts.count { $0.id == attempt.id }
        }
        return await answer(attempt, before)
    }

    func resume() {}
    func shutdown(within timeout: Duration) async {}
}
