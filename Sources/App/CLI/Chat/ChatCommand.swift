import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// `selene chat`: asks questions through a running gateway, which answers from the notes.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Ask your notes, through a running gateway.",
        discussion: """
            The gateway finds notes for each question, asks a model and checks what the answer cites. This command \
            streams the answer, then lists the cited notes with a verdict on each citation. With a question as \
            argument or on standard input, it answers once and exits.

            The answer belongs to the gateway: it goes on when this command is killed or the network is down. Start \
            again with --session to attach to it.

              selene chat                                   talk; /help lists the commands
              selene chat "when is the tide highest?"       one answer
              echo "and why?" | selene chat --session trip  continue a session
              selene chat --new --session trip "where to?"  create a session with this id
              selene chat --thread Petrel --days 90 "…"     from some of the notes
              selene chat --book 3 "who saw the light?"     from a book, as far as it was read
              selene chat --kind synthesis "what do I say about sleep?"
              selene chat --no-notes --model gemma3:270m    the model alone
              selene chat "…" --json                        one event per line, the last with the whole run

            The key is read from SELENE_KEY; a gateway of this machine needs none. Ctrl-C stops an answer; a second Ctrl-C exits.

            Exit codes: 0 answered, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    /// The maximum length of a question from standard input, in bytes.
    static let maxQuestionBytes = 64 << 10

    @Argument(help: "The question. Without one, a conversation begins on a terminal.")
    var question: String?

    @Option(help: "Address of the gateway (SELENE_URL; default http://127.0.0.1:5678).")
    var url: String?

    @Option(help: "The model that answers (SELENE_GENERATE_MODEL; default: the gateway's).")
    var model: String?

    @Option(help: "The kind of conversation; deep_dive and thread_workspace need --thread (default: ask).")
    var kind: ChatKind?

    @Option(help: "Ask this book, by id (selene books list); may be repeated. Implies --kind book.")
    var book: [Int64] = []

    @Option(help: "Only notes of this thread, by name or id; may be repeated.")
    var thread: [String] = []

    @Option(help: "Only notes with this tag; may be repeated.")
    var tag: [String] = []

    @Option(help: "Only notes of the last N days.")
    var days: Double?

    @Flag(help: "Count only sentences that their citations support as the answer.")
    var strict = false

    @Flag(help: "The model may not call tools.")
    var noTools = false

    @Flag(help: "Ask the model without notes: --kind plain.")
    var noNotes = false

    @Option(help: "The id of the session to continue (default: a new session).")
    var session: String?

    @Flag(help: "Create the session if it does not exist.")
    var new = false

    @Option(help: "Maximum number of passages that the first search finds, 1 to 20 (default: 6; more in some kinds).")
    var limit: Int?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    func validate() throws {
        if let limit, !(1...20).contains(limit) { throw ValidationError("--limit: expected 1 to 20, got \(limit)") }
        if let days, !(0...100_000).contains(days) {
            throw ValidationError("--days: expected 0 to 100000, got \(days)")
        }
        if let question, question.allSatisfy(\.isWhitespace) { throw ValidationError("the question is empty") }
        if noNotes, let kind, kind != .plain {
            throw ValidationError("--no-notes: cannot be combined with --kind \(kind.rawValue)")
        }
        if !book.isEmpty {
            let others = noNotes || !thread.isEmpty || !tag.isEmpty || days != nil
            if others || kind.map({ $0 != .book }) ?? false {
                throw ValidationError("--book: cannot be combined with another kind or with options about notes")
            }
        } else if kind == .book {
            throw ValidationError("--kind book: expected --book with the id of a book")
        }
        if let kind, kind.needsThread, thread.isEmpty {
            throw ValidationError("--kind \(kind.rawValue): expected --thread with the name or id of a thread")
        }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let (connection, options) = try connect()
            if let question = try question ?? Self.pipedQuestion() {
                try await answerOnce(question, connection, options)
            } else {
                if json { throw ValidationError("--json: expected a question as argument or on standard input") }
                var loop = ChatLoop(connection: connection, options: options)
                try await loop.run(session: session, isNew: new)
            }
        }
    }

    private func connect() throws -> (GatewayConnection, ChatOptions) {
        let connection = try GatewayOptions.connect(url)
        var options = ChatOptions()
        options.kind = noNotes ? .plain : book.isEmpty ? kind : .book
        options.model = model ?? GatewayOptions.model
        options.usesTools = !noTools
        options.isStrict = strict
        options.limit = limit
        if !book.isEmpty {
            options.scope = ChatScope(book: .init(book))
        } else if !thread.isEmpty || !tag.isEmpty || days != nil {
            options.scope = ChatScope(
                thread: thread.isEmpty ? nil : .init(thread), tag: tag.isEmpty ? nil : .init(tag),
                timeScope: days.map { .init(days: $0) })
        }
        return (connection, options)
    }

    private func answerOnce(_ question: String, _ connection: GatewayConnection, _ options: ChatOptions) async throws {
        if let session, !new { _ = try await RemoteDataService(connection).session(session) }
        try await SingleAnswer.follow(connection, isJSON: json) { printer in
            if let run = try await inProgress(question, printer.chat) { return run }
            return try await printer.begin(options.request(question, session: session))
        }
    }

    /// The run that answers the question already, as after a kill of this command.
    private func inProgress(_ question: String, _ chat: RemoteChatService) async throws -> ChatRun? {
        guard let session else { return nil }
        let running = try await chat.runs(session: session, running: true, .first(1)).runs.first
        return running?.question == question ? running : nil
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

extension ChatKind: ExpressibleByArgument {}
