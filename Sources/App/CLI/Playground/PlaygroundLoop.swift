import Evaluation
import Foundation
import GatewayAPI
import GatewayClient

/// The interactive loop of the playground.
struct PlaygroundLoop {
    /// What was asked or called.
    struct Entry {
        /// What can be done again.
        enum Action {
            case question(String, name: String, ChatOptions)
            case call(tool: String, arguments: JSONValue)
        }

        var action: Action
        /// The model of an answer; nil for a tool.
        var model: String?
        /// The figures in a line.
        var figures: String
    }

    let prompts: RemotePromptService
    let chat: RemoteChatService
    let llm: RemoteOllamaService
    var options: ChatOptions
    /// Whether a prompt follows the one before as in a conversation.
    var isConversation = false
    /// Whether tools leave private notes out, as for a model on another machine.
    var withholdsPrivate = false
    var history: [Entry] = []
    /// The latest run that was printed, whole.
    var last: ChatRun?
    private var session = Self.newSession
    private let printer: ChatRunPrinter
    private let interrupts: InterruptSwitch
    private let isTerminal = LineInput.isTerminal

    /// The most entries that are kept.
    private static let maxHistory = 1000

    private static var newSession: String { "playground-" + UUID().uuidString.lowercased() }

    init(connection: GatewayConnection, options: ChatOptions) {
        prompts = RemotePromptService(connection)
        chat = RemoteChatService(connection)
        llm = RemoteOllamaService(connection)
        self.options = options
        let isTerminal = isTerminal
        interrupts = InterruptSwitch { if isTerminal { Terminal.write("\n(Ctrl-C again to exit)\n> ") } }
        printer = ChatRunPrinter(chat: chat, interrupts: interrupts, isJSON: false)
    }

    /// Reads lines until the end of input. Without a terminal each line is printed before its answer.
    mutating func run() async throws {
        let sources = interrupts.listen(to: [SIGINT])
        defer { for source in sources { source.cancel() } }
        if isTerminal { Terminal.line(Terminal.dim("\(options.model ?? "the gateway's model") · /help")) }
        while let line = await nextLine() {
            interrupts.reset()
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty { continue }
            if !isTerminal { Terminal.line("> \(SafeText(oneLine: text))") }
            var goesOn = true
            try await guarded { loop in
                if text.hasPrefix("/") {
                    goesOn = try await loop.execute(text)
                } else {
                    try await loop.ask(text, name: "own", loop.options)
                }
            }
            if !goesOn { break }
        }
    }

    /// A line, joined with the following ones as long as it ends with a backslash.
    private func nextLine() async -> String? {
        guard var text = await LineInput.next(prompt: isTerminal ? "> " : "") else { return nil }
        while text.hasSuffix("\\") {
            text.removeLast()
            guard let more = await LineInput.next(prompt: isTerminal ? "… " : "") else { break }
            text += "\n" + more
        }
        return text
    }

    /// A failed command does not end the loop.
    private mutating func guarded(_ body: (inout PlaygroundLoop) async throws -> Void) async throws {
        do {
            try await body(&self)
        } catch let error as GatewayClientError {
            Terminal.note("selene: \(error.description)")
        } catch is CancellationError {
            Terminal.line("…stopped")
        } catch let error as PlaygroundError {
            Terminal.line(error.message)
        }
    }

    /// Asks a question and prints the answer with its figures.
    mutating func ask(_ question: String, name: String, _ options: ChatOptions) async throws {
        var options = options
        options.model = self.options.model
        let parent: FieldUpdate<Int64> = isConversation ? .keep : .clear
        let run = try await printer.follow(
            try await printer.begin(options.request(question, session: session, parent: parent)))
        last = run
        let sample = AnswerSample(run, subject: name, number: 1)
        let figures = sample.isDone ? sample.line : sample.error ?? "failed"
        Terminal.line(Terminal.dim(SafeText(oneLine: figures)))
        remember(Entry(action: .question(question, name: name, options), model: run.model, figures: figures))
    }

    /// Calls a tool and prints its result.
    mutating func call(_ tool: String, _ arguments: JSONValue) async throws {
        let reply = try await prompts.call(
            tool, ToolCallRequest(arguments: arguments, withholdsPrivate: withholdsPrivate ? true : nil))
        Terminal.line(Terminal.dim("\(reply.name) \(String(decoding: Self.json(reply.arguments), as: UTF8.self))"))
        for passage in reply.passages { Terminal.line(PassageText.listed(passage)) }
        if !reply.text.isEmpty { Terminal.line(reply.text) }
        var figures = "\(Int(reply.milliseconds.rounded())) ms"
        if !reply.passages.isEmpty {
            figures += " · \(reply.passages.count) \(reply.passages.count == 1 ? "note" : "notes")"
        }
        if !reply.withheld.isEmpty { figures += " · \(reply.withheld.count) private withheld" }
        Terminal.line(Terminal.dim("\(figures)"))
        remember(Entry(action: .call(tool: tool, arguments: arguments), model: nil, figures: figures))
    }

    /// Forgets everything and begins a new session.
    mutating func clear() {
        (history, last, session) = ([], nil, Self.newSession)
    }

    private mutating func remember(_ entry: Entry) {
        history.append(entry)
        if history.count > Self.maxHistory { history.removeFirst() }
    }

    static func json(_ value: JSONValue) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)) ?? Data("{}".utf8)
    }
}

/// An error in a line of the playground.
struct PlaygroundError: Error {
    var message: String
}
