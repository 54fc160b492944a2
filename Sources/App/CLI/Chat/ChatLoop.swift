import ArgumentParser
import Dispatch
import Foundation
import GatewayAPI
import GatewayClient
import Synchronization

/// A conversation on a terminal: questions, commands that begin with `/`, and Ctrl-C.
struct ChatLoop {
    static let help = """
        /notes           the notes that the last answer was given
        /new             begin a new session
        /sessions [ID]   the latest sessions, or go on with one
        /model [NAME]    the models there are, or another one
        /help            this
        /quit            leave; so does Ctrl-D
        Ctrl-C stops an answer; a second one leaves.
        """

    var conversation: Conversation
    let printer: ChatPrinter
    private let interrupts = InterruptSwitch()

    init(conversation: Conversation, printer: ChatPrinter) {
        self.conversation = conversation
        self.printer = printer
    }

    mutating func run() async throws {
        let source = interrupts.listen()
        defer { source.cancel() }
        Terminal.line(
            Terminal.dim("\(conversation.model) · \(Self.state(of: conversation)) · /help"))
        while let line = await Self.readLine() {
            interrupts.reset()
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { continue }
            do {
                if text.hasPrefix("/") {
                    guard try await obey(text) else { break }
                } else {
                    try await ask(text)
                }
            } catch let error as GatewayClientError {
                // What failed is said, and the conversation goes on.
                Terminal.note("selene: \(error.description)")
            }
        }
        if let session = conversation.session {
            Terminal.line(Terminal.dim("selene chat --session \(session) goes on with this"))
        }
    }

    private static func state(of conversation: Conversation) -> String {
        conversation.session.map { "session \($0), \(conversation.history.count) messages" } ?? "a new session"
    }

    private mutating func ask(_ question: String) async throws {
        let (before, printer) = (conversation, printer)
        let task = Task {
            var conversation = before
            _ = try await ChatTurn.run(question, in: &conversation, printer)
            return conversation
        }
        interrupts.watch { task.cancel() }
        defer { interrupts.watch(nil) }
        conversation = try await task.value
    }

    /// Does what a command says; false when it is to leave.
    private mutating func obey(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let argument = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
        switch words[0] {
        case "/quit", "/exit": return false
        case "/help": Terminal.line(Self.help)
        case "/new":
            conversation.begin()
            Terminal.line("a new session")
        case "/notes":
            if conversation.notes.isEmpty { Terminal.line("no notes were asked for, or none were found") }
            for (index, note) in conversation.notes.enumerated() {
                let date = note.createdAt.prefix(10)
                Terminal.line("[\(index + 1)] \(SafeText(oneLine: note.title))  \(date) · note \(note.id)")
            }
        case "/sessions":
            if let argument {
                try await conversation.resume(argument)
                Terminal.line("session \(argument), \(conversation.history.count) messages")
            } else {
                for session in try await conversation.data.sessions(.first(20)).sessions {
                    let mark = session.id == conversation.session ? "*" : " "
                    Terminal.line(
                        "\(mark) \(session.id)  \((session.updatedAt ?? "").prefix(16))  \(SafeText(oneLine: session.title))"
                    )
                }
            }
        case "/model":
            if let argument {
                conversation.model = argument
                Terminal.line("model \(argument)")
            } else {
                for model in try await conversation.llm.models().models { Terminal.line(model.name) }
            }
        default: Terminal.line("there is no command \(words[0]); /help lists them")
        }
        return true
    }

    /// A line from the terminal, read on a thread that may wait for it; nil at the end.
    private static func readLine() async -> String? {
        Terminal.write("> ")
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Swift.readLine()) }
        }
    }
}

/// Ctrl-C in a conversation: the first one stops the answer, if there is one, and the next one without a line between
/// them leaves.
final class InterruptSwitch: Sendable {
    private struct State {
        var stop: (@Sendable () -> Void)?
        var isArmed = false
    }

    private let state = Mutex(State())

    /// What the first interrupt stops; nil for nothing.
    func watch(_ stop: (@Sendable () -> Void)?) { state.withLock { $0.stop = stop } }

    /// A line was read: the next interrupt is a first one again.
    func reset() { state.withLock { $0.isArmed = false } }

    /// Takes SIGINT over until the source is cancelled.
    func listen() -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [self] in interrupted() }
        source.resume()
        return source
    }

    private func interrupted() {
        let (stop, isSecond) = state.withLock { state in
            defer { state.isArmed = true }
            return (state.stop, state.isArmed)
        }
        if isSecond { exit(Interrupt.exitCode.rawValue) }
        if let stop { stop() } else { Terminal.write("\n(Ctrl-C again leaves)\n> ") }
    }
}
