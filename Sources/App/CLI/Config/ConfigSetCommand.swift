import ArgumentParser
import Foundation
import Gateway
import Server
import Text

/// `selene config set`: changes a setting in the configuration file.
struct ConfigSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a setting in the configuration file.",
        discussion: """
            Comments and other settings stay as they are, and a wrong value is refused. Without a value the default counts \
            again. Flags and environment variables go before the file.

              selene config set briefing_at 06:30
              selene config set briefing_at
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "The key, as `selene config` shows it.")
    var key: String

    @Argument(help: "The value; none for the default.")
    var value: String?

    func run() async throws {
        let before = try options.load()
        guard before.effective.contains(where: { $0.key == key }) else {
            let near = NearestName.question(key, among: before.effective.map(\.key))
            throw ValidationError("there is no setting \"\(key)\"; \(near ?? "`selene config` lists all")")
        }
        guard let file = before.editedFile else { throw ValidationError("there is no place for a configuration file") }
        do {
            try await ConfigurationFile.set(key, to: value, in: file) { [options] text in
                _ = try options.read([:], text: text)
            }
        } catch {
            throw ValidationError("\(error)")
        }
        guard let now = try options.load().effective.first(where: { $0.key == key }) else { return }
        Terminal.line("\(key) is \(now.value ?? "unset") (\(now.origin)), in \(file)")
    }
}
