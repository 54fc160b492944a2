import ArgumentParser
import Dispatch
import Foundation
import GatewayAPI
import GatewayClient
import Synchronization

/// The interactive loop of a conversation: reads questions and `/` commands, and handles Ctrl-C.
struct ChatLoop {
    static let help = """
        /notes           list the notes of the last answer
        /new             begin a new session
        /sessions [ID]   list the latest sessions, or continue one
        /model [NAME]    list the models, or choose one
        /help            show this list
        /quit            exit; so does Ctrl-D
        Ctrl-C stops an answer; a second Ctrl-C exits.
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
                // A failed question does not end the conversation.
                Terminal.note("selene: \(error.description)")
            }
        }
        if let session = conversation.session {
            Terminal.line(Terminal.dim("to continue: selene chat --session \(session)"))
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

    /// Runs a command; false to exit.
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
            if conversation.notes.isEmpty { Terminal.line("the last question had no notes") }
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
        default: Terminal.line("unknown command \(words[0]); /help lists the commands")
        }
        return true
    }

    /// Reads a line from the terminal on a thread that may block; nil at the end of input.
    private static func readLine() async -> String? {
        Terminal.write("> ")
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Swift.readLine()) }
        }
    }
}

/// Handles Ctrl-C in a conversation: the first stops the answer in progress; a second, with no line read in between,
/// exits.
final class InterruptSwitch: Sendable {
    private struct State {
        var stop: (@Sendable () -> Void)?
        var isArmed = false
    }

    private let state = Mutex(State())

    /// Sets what the first interrupt stops; nil for nothing.
    func watch(_ stop: (@Sendable () -> Void)?) { state.withLock { $0.stop = stop } }

    /// Makes the next interrupt a first one again; called after each line.
    func reset() { state.withLock { $0.isArmed = false } }

    /// Handles SIGINT until the returned source is cancelled.
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
        if let stop { stop() } else { Terminal.write("\n(Ctrl-C again to exit)\n> ") }
    }
}
