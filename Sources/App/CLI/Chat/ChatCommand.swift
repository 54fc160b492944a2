import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene chat`: a conversation over the notes, through a gateway.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Ask your notes, through a running gateway.",
        discussion: """
            Finds notes for each question, lets a model answer from them, and lists the notes that the answer cites. The \
            conversation is kept in a session of the gateway's. With a question, or with standard input that is no \
            terminal, it answers once and ends.

              selene chat                                   talk; /help lists the commands
              selene chat "when is the tide highest?"       one answer
              echo "and why?" | selene chat --session trip  goes on with a session
              selene chat --new --session trip "where to?"  a session with a name of yours
              selene chat --no-notes --model gemma3:270m    the model alone
              selene chat "…" --json                        an object a line: notes, delta, done or error

            The key is SELENE_API_TOKEN. Ctrl-C stops an answer; a second one leaves.

            Exit codes: 0 answered, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    /// Bytes of a question from standard input at most.
    static let maxQuestionBytes = 64 << 10

    @Argument(help: "The question; without it, and on a terminal, a conversation begins.")
    var question: String?

    @Option(help: "The gateway (SELENE_URL; http://127.0.0.1:5678).")
    var url: String?

    @Option(help: "The model (SELENE_GENERATE_MODEL; llama3.2).")
    var model: String?

    @Option(help: "A session to go on with.")
    var session: String?

    @Flag(help: "Make the session when there is none of that id.")
    var new = false

    @Flag(help: "Ask the model alone, without any notes.")
    var noNotes = false

    @Option(help: "Notes for each question at most, 1 to 20.")
    var limit = 6

    @Flag(help: "Print JSON, an object a line.")
    var json = false

    func validate() throws {
        guard (1...20).contains(limit) else { throw ValidationError("--limit must be from 1 to 20") }
        if let question, question.allSatisfy(\.isWhitespace) { throw ValidationError("the question is empty") }
    }

    func run() async throws {
        let printer = ChatPrinter(isJSON: json)
        do {
            var conversation = try open()
            if let session { try await start(&conversation, session) }
            if let question = try question ?? Self.pipedQuestion() {
                try await answerOnce(conversation, question, printer)
            } else {
                if json { throw ValidationError("--json needs a question") }
                var loop = ChatLoop(conversation: conversation, printer: printer)
                try await loop.run()
            }
        } catch let error as GatewayClientError {
            if error.kind == .invalidRequest { throw ValidationError(error.message) }
            throw printer.exit(for: error)
        } catch is CancellationError {
            throw Interrupt.exitCode
        }
    }

    private func open() throws -> Conversation {
        func variable(_ name: String) -> String? {
            ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let connection = try GatewayConnection(url ?? variable("SELENE_URL") ?? "http://127.0.0.1:5678")
        return try Conversation(
            data: RemoteDataService(connection), llm: RemoteOllamaService(connection), noteLimit: noNotes ? 0 : limit,
            model: model ?? variable("SELENE_GENERATE_MODEL") ?? "llama3.2")
    }

    private func start(_ conversation: inout Conversation, _ id: String) async throws {
        do {
            try await conversation.resume(id)
        } catch let error as GatewayClientError where error.status == 404 && new {
            conversation.begin(id)
        }
    }

    private func answerOnce(_ conversation: Conversation, _ question: String, _ printer: ChatPrinter) async throws {
        let isWhole = try await Interrupt.cancellable {
            var conversation = conversation
            return try await ChatTurn.run(question, in: &conversation, printer)
        }
        if !isWhole { throw Interrupt.exitCode }
    }

    /// What came on standard input; nil on a terminal.
    private static func pipedQuestion() throws -> String? {
        guard isatty(STDIN_FILENO) == 0 else { return nil }
        let data = try FileHandle.standardInput.read(upToCount: maxQuestionBytes + 1) ?? Data()
        guard data.count <= maxQuestionBytes else {
            throw ValidationError("the question is longer than \(maxQuestionBytes) bytes")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw ValidationError("there is no question, neither as an argument nor piped in") }
        return text
    }
}

/// One question and its answer.
enum ChatTurn {
    /// Finds notes, streams the answer, lists what it cites, and keeps both.
    ///
    /// - Returns: Whether the answer is whole; false when the task was cancelled meanwhile. What was shown by then is kept.
    static func run(_ question: String, in conversation: inout Conversation, _ printer: ChatPrinter) async throws
        -> Bool
    {
        var answer = ""
        var last: ChatChunk?
        do {
            let reason = try await conversation.findNotes(for: question)
            printer.found(conversation.notes, fallbackReason: reason)
            for try await chunk in try await conversation.answer(question) {
                answer += chunk.message.content
                printer.piece(chunk.message.content)
                last = chunk
            }
        } catch let error as GatewayClientError where error.kind == .cancelled {
            last = nil
        }
        let isWhole = last?.isDone ?? false
        if !isWhole { printer.stopped() }
        let citations = Citations(in: answer, noteCount: conversation.notes.count)
        if !answer.allSatisfy(\.isWhitespace) {
            // In a task of its own: a cancelled one could not keep what was shown.
            let (before, text) = (conversation, answer)
            let kept = await Task { () -> Result<Conversation, any Error> in
                var after = before
                do {
                    try await after.keep(question, text)
                    return .success(after)
                } catch {
                    return .failure(error)
                }
            }.value
            switch kept {
            case .success(let after): conversation = after
            case .failure(let error): printer.notKept(error)
            }
        }
        printer.finished(conversation, citations, last)
        return isWhole
    }
}
