import ArgumentParser
import GatewayAPI
import GatewayClient

/// Prints one run, as text or as one JSON object per line.
struct ChatPrinter {
    private let isJSON: Bool
    private let model: String
    /// The text that was printed.
    private var shown = ""
    private var progress = ProgressLine()
    /// The last event, which is printed with the whole run.
    private var last: ChatRunEvent?

    init(isJSON: Bool, model: String) {
        self.isJSON = isJSON
        self.model = model
    }

    /// The last line of `--json`: the last event with the run.
    private struct LastLine: Encodable {
        var event: ChatRunEvent
        var run: ChatRun

        private enum CodingKeys: String, CodingKey { case run }

        func encode(to encoder: any Encoder) throws {
            try event.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(run, forKey: .run)
        }
    }

    /// The line of `--json` when no run could be read to its end.
    private struct ErrorLine: Encodable {
        struct Data: Encodable {
            var error: String
            var code: String
        }
        var event = "error"
        var data: Data
    }

    /// Prints what an event adds.
    mutating func show(_ event: ChatRunEvent, _ answer: ChatAnswer) {
        if isJSON {
            if event.isLast { last = event } else { Self.put(event) }
            return
        }
        switch event.content {
        case .delta(let delta) where delta.at == shown.utf8.count: write(delta.text)
        case .delta, .snapshot: catchUp(answer.text)
        case .state, .search, .passages, .tool: showProgress(of: answer)
        case .citation, .usage: break
        case .done, .failed: progress.clear()
        }
    }

    /// Prints what only a whole run has: its end, and what its citations are worth.
    mutating func finish(_ run: ChatRun) {
        if isJSON {
            if let last { Self.put(LastLine(event: last, run: run)) }
        } else {
            catchUp(run.text ?? "")
            if let end = Self.end(of: run) { write((shown.isEmpty ? "" : " ") + "…" + end) }
            breakOff()
            let lines = AnswerReport.lines(of: run)
            if !lines.isEmpty { Terminal.line(Terminal.dim(SafeText.lines(lines))) }
        }
        if run.state == .failed { Terminal.note("selene: \(run.error ?? "the answer failed")") }
    }

    /// Ends the line that text or progress began.
    mutating func breakOff() {
        progress.clear()
        if !isJSON, !shown.isEmpty, !shown.hasSuffix("\n") { Terminal.line() }
    }

    private static func end(of run: ChatRun) -> String? {
        switch run.state {
        case .stopped where run.stopReason == "length": "cut: the answer reached the length limit"
        case .stopped where run.stopReason == "unread": "stopped: the answer had no readers"
        case .stopped: "stopped"
        case .interrupted: "interrupted: the gateway was stopped"
        default: nil
        }
    }

    private mutating func write(_ text: String) {
        guard !text.isEmpty else { return }
        progress.clear()
        Terminal.write(SafeText(text))
        shown += text
    }

    /// Prints the rest of a text, or all of it when something else was printed.
    private mutating func catchUp(_ text: String) {
        if text.utf8.starts(with: shown.utf8) {
            write(String(decoding: text.utf8.dropFirst(shown.utf8.count), as: UTF8.self))
        } else {
            breakOff()
            shown = ""
            write(text)
        }
        if shown.isEmpty { progress.clear() }
    }

    private mutating func showProgress(of answer: ChatAnswer) {
        // Within a line of text, progress would overwrite it.
        guard shown.isEmpty || shown.hasSuffix("\n"), let words = ProgressLine.words(for: answer, model: model) else {
            return
        }
        progress.show(words)
    }

    /// Prints an error and returns the exit code to throw.
    static func exit(for error: GatewayClientError, isJSON: Bool) -> any Error {
        if error.kind == .cancelled { return Interrupt.exitCode }
        if isJSON {
            put(ErrorLine(data: .init(error: error.message, code: error.code ?? error.kind.rawValue)))
        }
        note(error)
        return ExitCode.failure
    }

    /// Prints an error with what to do about it.
    static func note(_ error: GatewayClientError) {
        Terminal.note("selene: \(error.description)")
        switch error.kind {
        case .unreachable:
            Terminal.note("start it with selene serve, or name another one with --url or SELENE_URL")
        case .cut, .timedOut:
            Terminal.note("an answer in progress goes on at the gateway; start again with --session to attach to it")
        case .refused where error.code == "session_busy":
            Terminal.note("attach to it with selene chat --session ID, or use another session")
        default: break
        }
    }

    private static func put(_ line: some Encodable) {
        if let text = try? JSONOutput.text(line) { Terminal.line(text) }
    }
}
