import Foundation
import GatewayAPI
import GatewayClient

/// The interactive loop of a conversation: reads questions and `/` commands, and handles Ctrl-C.
struct ChatLoop {
    let chat: RemoteChatService
    let data: RemoteDataService
    let llm: RemoteOllamaService
    let printer: ChatRunPrinter
    var options: ChatOptions
    /// The session's id; nil until the first question.
    var session: String?
    /// The latest run that was printed, whole.
    var last: ChatRun?
    private let interrupts: InterruptSwitch

    init(connection: GatewayConnection, options: ChatOptions) {
        chat = RemoteChatService(connection)
        data = RemoteDataService(connection)
        llm = RemoteOllamaService(connection)
        self.options = options
        interrupts = InterruptSwitch { Terminal.write("\n(Ctrl-C again to exit)\n> ") }
        printer = ChatRunPrinter(chat: chat, interrupts: interrupts, isJSON: false)
    }

    /// Runs the conversation until the end of input.
    ///
    /// - Parameters:
    ///   - session: The session to continue; nil for a new one.
    ///   - isNew: Whether a session that does not exist is created.
    mutating func run(session: String?, isNew: Bool) async throws {
        let sources = interrupts.listen(to: [SIGINT])
        defer { for source in sources { source.cancel() } }
        var state = "a new session"
        if let session {
            do {
                let known = try await data.session(session)
                state = "session \(session), \(known.messageCount) messages"
                if known.compressedThrough != nil { state += ", the old ones summarised" }
            } catch let error as GatewayClientError where error.status == 404 && isNew {
                state = "a new session"
            }
            self.session = session
        }
        Terminal.line(Terminal.dim("\(options.model ?? "the gateway's model") · \(state) · /help"))
        if session != nil { try await guarded { try await $0.attach() } }
        while let line = await LineInput.next() {
            interrupts.reset()
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { continue }
            var goesOn = true
            try await guarded { loop in
                if text.hasPrefix("/") { goesOn = try await loop.execute(text) } else { try await loop.ask(text) }
            }
            if !goesOn { break }
        }
        if let session = self.session {
            Terminal.line(Terminal.dim("to continue: selene chat --session \(session)"))
        }
    }

    /// A failed question does not end the conversation.
    private mutating func guarded(_ body: (inout ChatLoop) async throws -> Void) async throws {
        do {
            try await body(&self)
        } catch let error as GatewayClientError {
            ChatPrinter.note(error)
        } catch is CancellationError {
            Terminal.line("…stopped")
        }
    }

    /// Asks a question and prints the answer.
    ///
    /// - Parameter parent: The message that the question follows.
    mutating func ask(_ question: String, parent: FieldUpdate<Int64> = .keep) async throws {
        let run = try await printer.begin(options.request(question, session: session, parent: parent))
        session = run.session
        last = try await printer.follow(run)
    }

    /// Prints a run to its end, after its question.
    mutating func follow(_ run: ChatRun) async throws {
        session = run.session
        Terminal.line(Terminal.dim("> \(SafeText(oneLine: run.question))"))
        last = try await printer.follow(run)
    }

    /// Attaches to the run in progress of the session, or shows an interrupted one.
    mutating func attach() async throws {
        last = nil
        guard let session, let latest = try await chat.runs(session: session, .first(1)).runs.first else { return }
        guard latest.state.isFinal else { return try await follow(latest) }
        let run = try await chat.run(latest.id)
        last = run
        guard run.state == .interrupted else { return }
        Terminal.line(Terminal.dim("> \(SafeText(oneLine: run.question))"))
        if let text = run.text, !text.isEmpty { Terminal.line(text) }
        Terminal.line(Terminal.dim("interrupted: /continue finishes this answer"))
    }
}
