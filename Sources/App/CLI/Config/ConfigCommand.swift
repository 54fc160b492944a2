import ArgumentParser
import Gateway
import Server

/// `selene config`: shows the settings, and writes a file of them.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the effective configuration and where each value comes from; write a file for it.",
        discussion: """
            Flags take precedence over environment variables, then the configuration file, then the defaults.
            The file is YAML with the keys shown here, or a JSON object. Secrets are masked.

              selene config
              selene config init
              selene config set briefing_at 06:30
              selene config --json | jq '.[] | select(.origin != "default")'
            """,
        subcommands: [ConfigShowCommand.self, ConfigSetCommand.self, ConfigInitCommand.self],
        defaultSubcommand: ConfigShowCommand.self)
}

/// `selene config show`, the default: prints the effective settings and their origins.
struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print each setting with its value and origin.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a JSON list.")
    var json = false

    func run() throws {
        let configuration = try options.load()
        let settings = configuration.effective
        for sentence in configuration.unknownVariables { Terminal.note("selene: \(sentence)") }
        if json {
            Terminal.line(try JSONOutput.text(settings))
            return
        }
        let keyWidth = settings.map(\.key.count).max() ?? 0
        let valueWidth = min(48, settings.map { ($0.value ?? "(unset)").count }.max() ?? 0)
        for setting in settings {
            let value = setting.value ?? "(unset)"
            let columns = [
                setting.key.padded(to: keyWidth), value.padded(to: valueWidth),
                setting.origin.padded(to: "environment".count),
            ]
            let about = Terminal.dim("\(setting.environment): \(setting.summary)")
            Terminal.line("\(columns.joined(separator: "  "))  \(about)")
        }
    }
}
