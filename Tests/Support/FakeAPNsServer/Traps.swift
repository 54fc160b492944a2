import FakeAPNs
import Foundation
import Synchronization

/// Journals accepted pushes, and does something with the next push when it is told to, for tests that kill the sender.
final class Traps: Sendable {
    private struct State {
        var trap = ""
        var left = 0
    }

    private let journal: FileHandle?
    private let state = Mutex(State())
    private let say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - journal: The file that gets a line of JSON for each push that is accepted.
    ///   - say: Writes a line when a trap closed.
    init(journal: String?, say: @escaping @Sendable (String) -> Void) throws {
        self.say = say
        guard let journal else {
            self.journal = nil
            return
        }
        let url = URL(filePath: journal)
        try Data().write(to: url)
        self.journal = try FileHandle(forWritingTo: url)
    }

    /// Sets a trap: `silent` gives the next push no answer, `answered` accepts it, `retry` refuses the next five with a 503 that is soon tried again,
    /// `held` answers none until another word; other words accept all.
    func set(_ trap: String) {
        state.withLock { $0 = State(trap: trap, left: trap == "retry" ? 5 : 1) }
    }

    /// The answer to a push that the checks accept.
    func answer(_ request: PushRequest) -> FakeAPNs.Answer {
        let (trap, isLast) = state.withLock { state in
            let trap = state.trap
            guard !trap.isEmpty, trap != "held" else { return (trap, false) }
            state.left -= 1
            if state.left == 0 { state.trap = "" }
            return (trap, state.left == 0)
        }
        defer { if isLast { say("trap \(trap)") } }
        switch trap {
        case "silent", "held": return .ignore
        case "retry": return .reject(503, "Shutdown", retryAfter: "1")
        default:
            note(request)
            return .accept
        }
    }

    private func note(_ request: PushRequest) {
        guard let journal else { return }
        let line = [
            "id": request.id, "path": request.path, "collapse": request.headers["apns-collapse-id"] ?? "",
            "payload": String(decoding: request.body, as: UTF8.self),
        ]
        guard let json = try? JSONEncoder().encode(line) else { return }
        try? journal.write(contentsOf: json + Data("\n".utf8))
    }
}
