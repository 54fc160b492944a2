import ArgumentParser
import GatewayClient
import Prompts

/// `selene playground`: tries prompts, tools and models by hand, and compares models.
struct PlaygroundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playground",
        abstract: "Try prompts, tools and models on your notes; compare models.",
        discussion: """
            Without a subcommand, it reads prompts and / commands from standard input, line by line. Each answer is \
            followed by its figures: time to the first token, tokens a second, supported claims, calls of tools.

              selene playground                             by hand; /help lists the commands
              selene playground --model gemma3:270m < script.txt
              selene playground bench specific --models llama3.2,gemma3:270m --html bench.html
              selene playground list
              selene playground compare 3 5
            """,
        subcommands: [
            Talk.self, PlaygroundBenchCommand.self, PlaygroundListCommand.self, PlaygroundShowCommand.self,
            PlaygroundCompareCommand.self, PlaygroundRemoveCommand.self,
        ], defaultSubcommand: Talk.self)

    /// `selene playground`
    struct Talk: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "talk", abstract: "Try prompts, tools and models by hand (the default).",
            discussion: PlaygroundLoop.help)

        @Option(help: "The model that answers (SELENE_GENERATE_MODEL; default: the gateway's).")
        var model: String?

        @Option(help: "The kind of conversation of prompts of your own (default: ask).")
        var kind: ChatKind?

        @OptionGroup var gateway: GatewayOptions

        func run() async throws {
            try await GatewayOptions.reported {
                var options = ChatOptions()
                options.model = model ?? GatewayOptions.model
                options.kind = kind
                var loop = PlaygroundLoop(connection: try gateway.connect(), options: options)
                try await loop.run()
            }
        }
    }
}
