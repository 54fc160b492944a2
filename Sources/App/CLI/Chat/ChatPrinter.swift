import ArgumentParser
import GatewayAPI
import GatewayClient

/// Prints a conversation, as text or as one JSON object per line.
struct ChatPrinter: Sendable {
    let isJSON: Bool

    /// A line of `--json`.
    struct Line: Codable {
        var type: String
        var notes: [Conversation.Source]?
        var fallbackReason: String?
        var text: String?
        var session: String?
        var model: String?
        var whole: Bool?
        var cited: [Int]?
        var invented: [Int]?
        var promptTokens: Int?
        var completionTokens: Int?
        var error: String?
        var code: String?

        enum CodingKeys: String, CodingKey {
            case type, notes, text, session, model, whole, cited, invented, error, code
            case fallbackReason = "fallback_reason"
            case promptTokens = "prompt_tokens"
            case completionTokens = "completion_tokens"
        }

        init(_ type: String) { self.type = type }
    }

    func found(_ notes: [Note], fallbackReason: String?) {
        if isJSON {
            var line = Line("notes")
            line.notes = notes.enumerated().map {
                .init(number: $0 + 1, id: $1.id, title: $1.title, date: String($1.createdAt.prefix(10)))
            }
            line.fallbackReason = fallbackReason
            put(line)
        } else if let fallbackReason {
            Terminal.note(Terminal.dim("notes by keywords only: \(fallbackReason)"))
        }
    }

    func piece(_ text: String) {
        guard !text.isEmpty else { return }
        if isJSON {
            var line = Line("delta")
            line.text = text
            put(line)
        } else {
            Terminal.write(SafeText(text))
        }
    }

    func stopped() { if !isJSON { Terminal.write(" …stopped") } }

    func notKept(_ error: any Error) { Terminal.note("selene: cannot store the answer in the session: \(error)") }

    func finished(_ conversation: Conversation, _ citations: Citations, _ last: ChatChunk?) {
        if isJSON {
            var line = Line("done")
            line.session = conversation.session
            line.model = conversation.model
            line.whole = last?.isDone ?? false
            line.cited = citations.cited
            line.invented = citations.invented
            line.promptTokens = last?.promptTokens
            line.completionTokens = last?.completionTokens
            put(line)
        } else {
            Terminal.line()
            let text = Self.sources(conversation.sources(of: citations), invented: citations.invented)
            if !text.isEmpty { Terminal.line(Terminal.dim(SafeText(text))) }
        }
    }

    /// Prints an error and returns the exit code to throw.
    func exit(for error: GatewayClientError) -> any Error {
        if error.kind == .cancelled { return Interrupt.exitCode }
        if isJSON {
            var line = Line("error")
            line.error = error.message
            line.code = error.code ?? error.kind.rawValue
            put(line)
        }
        Terminal.note("selene: \(error.description)")
        return ExitCode.failure
    }

    /// The cited notes, one per line, and the citation numbers that match no note.
    static func sources(_ sources: [Conversation.Source], invented: [Int]) -> String {
        var lines = sources.map { "[\($0.number)] \(SafeText(oneLine: $0.title).raw)  \($0.date) · note \($0.id)" }
        if !invented.isEmpty {
            let numbers = invented.map { "[\($0)]" }.joined(separator: " ")
            lines.append("\(numbers) \(invented.count == 1 ? "is" : "are") invented: there is no such note")
        }
        return lines.joined(separator: "\n")
    }

    private func put(_ line: Line) {
        if let text = try? JSONOutput.text(line) { Terminal.line(text) }
    }
}
