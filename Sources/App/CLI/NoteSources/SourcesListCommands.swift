import ArgumentParser
import GatewayAPI
import NoteSources

/// `selene sources list`
struct SourcesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all sources.")

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        let sources = try await CommandContext.run(try shared.options.load()) { try await $0.sources.all() }
        try Terminal.report(sources, asJSON: shared.json) {
            if sources.isEmpty { Terminal.line("No sources. Add one: selene sources add NAME FOLDER") }
            var table = TextTable()
            for source in sources {
                table.add(source.name, source.state.rawValue, source.path ?? "scripts", source.summary)
            }
            table.write()
        }
    }
}

/// `selene sources show`
struct SourcesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a source and the files that were not read.")

    @Argument(help: "The name of the source.")
    var name: String

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        let name = name
        let details = try await CommandContext.run(try shared.options.load()) { try await $0.sources.details(name) }
        try Terminal.report(details, asJSON: shared.json) {
            let source = details.source
            Terminal.line("\(source.name): \(source.state.rawValue), \(source.summary)")
            var table = TextTable()
            table.add("path", source.path ?? "none; scripts send its notes")
            if !source.ignore.isEmpty { table.add("left out", source.ignore.joined(separator: "  ")) }
            table.add("added", source.createdAt)
            table.add("looked at", source.lookedAt ?? "not yet")
            table.write()
            for problem in details.problems { Terminal.line("  \(problem.path): \(problem.reason)") }
        }
    }
}
