import ArgumentParser
import GatewayAPI
import GatewayClient
import Prompts

/// `selene prompts run`: asks the notes with a prompt and prints the answer as `selene chat` does.
struct PromptsRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Ask your notes with a prompt.",
        discussion: """
            Prints the answer, then the cited notes with a verdict on each citation. The variables days, tag and thread also \
            narrow the notes.

              selene prompts run week-in-review --var days=14 --model llama3.2
              selene prompts run bridge --var first=work --var second=music --json

            Exit codes: 0 answered, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    @Argument(help: "The prompt's id.")
    var id: String

    @Option(name: .customLong("var"), help: "A value, NAME=VALUE; may be repeated.")
    var values: [String] = []

    @Option(help: "The model that answers (SELENE_GENERATE_MODEL; default: the gateway's).")
    var model: String?

    @Option(help: "The id of the session to continue, or to create (default: a new session).")
    var session: String?

    @Flag(help: "Count only sentences that their citations support as the answer.")
    var strict = false

    @Flag(help: "The model may not call tools.")
    var noTools = false

    @Flag(help: "Print the question, do not ask it.")
    var render = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    func validate() throws { _ = try PromptValues(values) }

    func run() async throws {
        let values = try PromptValues(values).values
        try await GatewayOptions.reported(isJSON: json) {
            let connection = try gateway.connect()
            let rendered = try await RemotePromptService(connection).render(id, values)
            if render { return try Terminal.report(rendered, asJSON: json) { Terminal.line(rendered.text) } }
            var options = ChatOptions(rendered)
            options.model = model ?? GatewayOptions.model
            options.usesTools = !noTools
            options.isStrict = strict
            try await SingleAnswer.follow(connection, isJSON: json) { turn in
                try await turn.begin(options.request(rendered.text, session: session))
            }
        }
    }
}

extension ChatOptions {
    /// What a prompt's question is sent with.
    init(_ rendered: RenderedPrompt) {
        kind = ChatKind(rawValue: rendered.chat)
        scope = rendered.scope
    }
}
