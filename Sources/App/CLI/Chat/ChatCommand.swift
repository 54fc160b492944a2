import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene chat`: answers questions from the notes, through a running gateway.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Ask your notes, through a running gateway.",
        discussion: """
            Finds notes for each question, streams a model's answer from them, and lists the notes that the answer \
            cites. The gateway keeps the conversation in a session. With a question as argument or on standard input, \
            it answers once and exits.

              selene chat                                   talk; /help lists the commands
              selene chat "when is the tide highest?"       one answer
              echo "and why?" | selene chat --session trip  continue a session
              selene chat --new --session trip "where to?"  create a session with this id
              selene chat --no-notes --model gemma3:270m    the model alone
              selene chat "…" --json                        one object per line: notes, delta, done or error

            The key is read from SELENE_API_TOKEN. Ctrl-C stops an answer; a second Ctrl-C exits.

            Exit codes: 0 answered, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    /// The maximum length of a question from standard input, in bytes.
    static let maxQuestionBytes = 64 << 10

    @Argument(help: "The question. Without one, a conversation begins on a terminal.")
    var question: String?

    @Option(help: "Address of the gateway (SELENE_URL; default http://127.0.0.1:5678).")
    var url: String?

    @Option(help: "The model that answers (SELENE_GENERATE_MODEL; default llama3.2).")
    var model: String?

    @Option(help: "The id of the session to continue (default: a new session).")
    var session: String?

    @Flag(help: "Create the session if it does not exist.")
    var new = false

    @Flag(help: "Ask the model without notes.")
    var noNotes = false

    @Option(help: "Maximum number of notes for each question, 1 to 20.")
    var limit = 6

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    func validate() throws {
        guard (1...20).contains(limit) else { throw ValidationError("--limit: expected 1 to 20, got \(limit)") }
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
                if json { throw ValidationError("--json: expected a question as argument or on standard input") }
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

    /// Reads the question from standard input; nil on a terminal.
    private static func pipedQuestion() throws -> String? {
        guard isatty(STDIN_FILENO) == 0 else { return nil }
        let data = try FileHandle.standardInput.read(upToCount: maxQuestionBytes + 1) ?? Data()
        guard data.count <= maxQuestionBytes else {
            throw ValidationError("the question on standard input has more than \(maxQuestionBytes) bytes")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { throw ValidationError("expected a question as argument or on standard input") }
        return text
    }
}

/// Runs one question and its answer.
enum ChatTurn {
    /// Finds notes, streams the answer, lists its citations, and stores question and answer in the session.
    ///
    /// - Returns: Whether the answer is whole; false when the task was cancelled. A partial answer is stored, too.
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
            // A separate task, since a cancelled task could not store the partial answer.
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
