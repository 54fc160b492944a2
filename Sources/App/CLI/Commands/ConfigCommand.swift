import ArgumentParser
import Gateway
import Server

/// `selene config`: prints the effective settings and their origins.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the effective configuration and where each value comes from.",
        discussion: """
            Flags take precedence over environment variables, then the configuration file, then the defaults.
            The file is a JSON object with the keys shown here, for example {"port": 8080, "embed_model": "bge-m3"}.
            Secrets are masked.

              selene config
              selene config --json | jq '.[] | select(.origin != "default")'
            """)

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
