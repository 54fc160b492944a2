import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene prompts diff`: compares two versions of a prompt.
struct PromptsDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two versions of a prompt line by line.",
        discussion: """
              selene prompts diff week-in-review                  the current version with the one before
              selene prompts diff week-in-review --from 0         with the one that comes with the gateway
              selene prompts diff week-in-review --from 2 --to 5
            """)

    @Argument(help: "The prompt's id.")
    var id: String

    @Option(help: "A version's number or the beginning of its hash (default: the one before --to).")
    var from: String?

    @Option(help: "The same (default: the current version).")
    var to: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let diff = try await RemotePromptService(try gateway.connect()).diff(of: id, from: from, to: to)
            try Terminal.report(diff, asJSON: json) { Self.write(diff) }
        }
    }

    private static func write(_ diff: PromptDiff) {
        Terminal.line("--- \(diff.id) \(diff.from.number) \(diff.from.version)")
        Terminal.line("+++ \(diff.id) \(diff.to.number) \(diff.to.version)")
        for line in diff.lines {
            switch line.change {
            case .same: Terminal.line(Terminal.dim("  \(SafeText(oneLine: line.text))"))
            case .added: Terminal.line("+ \(SafeText(oneLine: line.text))")
            case .removed: Terminal.line("- \(SafeText(oneLine: line.text))")
            }
        }
    }
}

/// `selene prompts history`: lists the versions of a prompt.
struct PromptsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the versions of a prompt, latest first.")

    @Argument(help: "The prompt's id.")
    var id: String

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let history = try await RemotePromptService(try gateway.connect()).versions(of: id)
            try Terminal.report(history, asJSON: json) {
                for version in history.versions {
                    let date = version.createdAt.map { String($0.prefix(16)) } ?? "of the gateway"
                    let about = "\(version.number)  \(version.version)  \(date.padded(to: 16))  \(version.bytes) bytes"
                    Terminal.line(SafeText(oneLine: "\(about)  \(version.title)"))
                }
            }
        }
    }
}

/// `selene prompts remove`: deletes an own prompt, or brings the original back.
struct PromptsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Delete an own prompt with its versions; bring the original of another one back.")

    @Argument(help: "The prompt's id.")
    var id: String

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let deleted = try await RemotePromptService(try gateway.connect()).delete(id)
            try Terminal.report(deleted, asJSON: json) {
                Terminal.line(
                    deleted.status == "restored" ? "\(id) is as it comes with the gateway" : "\(id) is deleted")
            }
        }
    }
}
