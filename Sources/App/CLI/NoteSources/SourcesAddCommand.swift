import ArgumentParser
import Audit
import Foundation
import GatewayAPI
import NoteSources

/// `selene sources add`: adds a source and reads it.
struct SourcesAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Follow a folder or file from now on, or take notes from scripts.")

    @Argument(help: "A name for it: letters, digits, -, _ and .")
    var name: String

    @Argument(help: "A folder or a file; none for notes that scripts send.")
    var path: String?

    @Option(help: "The format of a file, as in selene ingest (default: guessed).")
    var format: String?

    @Option(help: "Leave out paths that match a pattern, as in a .gitignore. Can be repeated.")
    var ignore: [String] = []

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        let path = path.map { path in
            let expanded =
                path.hasPrefix("~/") ? FileManager.default.homeDirectoryForCurrentUser.path + path.dropFirst() : path
            return URL(filePath: expanded).standardizedFileURL.path
        }
        let new = NewSource(name: name, path: path, format: format, ignore: ignore.isEmpty ? nil : ignore)
        let report = try await CommandContext.run(try shared.options.load()) { context in
            let source = try await context.sources.add(new)
            await context.record(.sourceAdd, source.name, detail: source.path)
            return try await context.look(at: source.name)
        }
        try report.print(asJSON: shared.json)
    }
}

/// `selene sources look`: looks at all files of a source now.
struct SourcesLookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "look", abstract: "Look at all files of a source now.",
        discussion: "When a running gateway follows the source, it looks, and the command waits for it.")

    @Argument(help: "The name of the source.")
    var name: String

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        let name = name
        let report = try await CommandContext.run(try shared.options.load()) { context in
            try await context.look(at: name)
        }
        try report.print(asJSON: shared.json)
    }
}
