import ArgumentParser
import GatewayAPI
import GatewayClient
import Prompts

/// `selene prompts`: lists, edits and runs prompts over one's own notes.
struct PromptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompts",
        abstract: "List, edit and run prompts over your notes, through a running gateway.",
        discussion: """
            The gateway comes with prompts in five kinds: reflective, analytical, exploratory, specific, creative. Each has \
            variables with defaults. Your own prompts are stored in the database, each edit as a version. An edit of a \
            prompt that comes with the gateway makes an own copy; `remove` brings the original back.

              selene prompts list --kind reflective
              selene prompts show week-in-review
              selene prompts run week-in-review --var days=14
              selene prompts edit week-in-review            in $EDITOR
              selene prompts edit moon --file moon.md       or from standard input
              selene prompts diff week-in-review
              selene prompts history week-in-review
              selene prompts remove week-in-review

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read, to run a prompt also llm, to change one \
            notes:write.
            """,
        subcommands: [
            List.self, Show.self, PromptsRunCommand.self, PromptsEditCommand.self, PromptsDiffCommand.self,
            PromptsHistoryCommand.self, PromptsRemoveCommand.self,
        ], defaultSubcommand: List.self)

    /// `selene prompts list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List prompts by kind (the default).")

        @Option(help: "Only this kind.")
        var kind: PromptDocument.Kind?

        @Option(name: .customLong("query"), help: "Only prompts with this text in id, title, purpose or template.")
        var query: String?

        @OptionGroup var gateway: GatewayOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await GatewayOptions.reported(isJSON: json) {
                let service = RemotePromptService(try gateway.connect())
                let found = try await service.prompts(kind: kind?.rawValue, query: query)
                try Terminal.report(found, asJSON: json) { PromptList.write(found.prompts) }
            }
        }
    }

    /// `selene prompts show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a prompt in its text form, which `edit` reads.")

        @Argument(help: "The prompt's id.")
        var id: String

        @Option(
            name: .customLong("at"), help: "A version's number or the beginning of its hash (default: the current).")
        var version: String?

        @OptionGroup var gateway: GatewayOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await GatewayOptions.reported(isJSON: json) {
                let prompt = try await RemotePromptService(try gateway.connect()).prompt(id, version: version)
                let document = try PromptDocument(prompt)
                try Terminal.report(prompt, asJSON: json) { Terminal.write(document.text) }
            }
        }
    }
}

/// Lists of prompts for people.
enum PromptList {
    /// Writes prompts below the names of their kinds.
    static func write(_ prompts: [Prompt]) {
        if prompts.isEmpty { Terminal.line("there are no such prompts") }
        let width = prompts.map(\.id.count).max() ?? 0
        var kind: String?
        for prompt in prompts {
            if prompt.kind != kind { Terminal.line(Terminal.bold(SafeText(oneLine: prompt.kind))) }
            kind = prompt.kind
            let mark = prompt.origin == .curated ? "" : " (\(prompt.origin.rawValue))"
            let about = "  \(prompt.id.padded(to: width))  \(prompt.title)\(mark)"
            let purpose = prompt.purpose.isEmpty ? "" : ": " + prompt.purpose
            Terminal.line(SafeText(oneLine: about) + Terminal.dim(SafeText(oneLine: purpose)))
        }
    }
}

extension PromptDocument {
    /// The text form of a prompt of the gateway.
    ///
    /// - Throws: `ValidationError` for a prompt that this version cannot read.
    init(_ prompt: Prompt) throws {
        guard let kind = Kind(rawValue: prompt.kind), let chat = ChatKind(rawValue: prompt.chat) else {
            throw ValidationError("the prompt \(prompt.id) is of a kind that this version does not know")
        }
        self.init(
            id: prompt.id, title: prompt.title, kind: kind, purpose: prompt.purpose, chat: chat,
            variables: prompt.variables.map {
                .init(name: $0.name, defaultValue: $0.defaultValue, meaning: $0.meaning)
            }, body: prompt.text ?? "")
    }
}

extension PromptDocument.Kind: ExpressibleByArgument {}

/// Values on the command line: `NAME=VALUE`.
struct PromptValues: Sendable {
    var values: [String: String] = [:]

    /// - Throws: `ValidationError` for an item without `=`.
    init(_ items: [String], option: String = "--var") throws {
        for item in items {
            guard let sign = item.firstIndex(of: "="), sign > item.startIndex else {
                throw ValidationError("\(option): expected NAME=VALUE, got \"\(item)\"")
            }
            values[String(item[..<sign])] = String(item[item.index(after: sign)...])
        }
    }
}
