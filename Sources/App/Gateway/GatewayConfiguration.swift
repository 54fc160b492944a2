package import Backfill
package import Books
package import Chat
package import Console
package import GoalTracking
package import LLM
package import MCP
package import Notes
package import Notifications
package import Search
package import Server
package import Web

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Everything that a gateway needs to know before it starts, checked. Each module reads its own settings.
package struct GatewayConfiguration: Sendable {
    /// Every setting, in the order in which `selene config` shows them.
    package static let settings: [Setting] =
        [.database] + ServerSettings.all + LLMSettings.all + SearchSettings.all + NotesSettings.all
        + ChatSettings.all + BackfillSettings.all + BookSettings.all + GoalSettings.all + WebSettings.all
        + MCPSettings.all + PushSettings.all + ConsoleSettings.all

    /// The path of the SQLite file, with `~` expanded.
    package var databasePath: String
    /// The HTTP server.
    package var server: ServerSettings
    /// Models and upstreams.
    package var llm: LLMSettings
    /// Retrieval.
    package var search: SearchSettings
    /// The notes API.
    package var notes: NotesSettings
    package var chat: ChatSettings
    /// Embedding backfill.
    package var backfill: BackfillSettings
    package var books: BookSettings
    package var goals: GoalSettings
    /// The web client.
    package var web: WebSettings
    /// The MCP server.
    package var mcp: MCPSettings
    /// Notifications.
    package var push: PushSettings
    /// What the console shows.
    package var console: ConsoleSettings
    /// The configuration file that was read; nil when there is none.
    package var file: String?
    /// Where a configuration file is looked for, whether it exists or not.
    var filePath: String?
    /// Sentences about environment variables that begin with `SELENE_` and are no settings.
    package var unknownVariables: [String] = []
    /// Every setting as text with its origin, secrets masked, for `selene config`.
    package var effective: [EffectiveSetting]

    /// Loads the configuration through its layers: flags over environment over file over defaults.
    ///
    /// - Parameters:
    ///   - flags: Values from the command line by setting key, for example `["port": "8080"]`.
    ///   - environment: The process environment.
    ///   - file: A configuration file that must exist. When nil, `SELENE_CONFIG`, then `~/.selene/config.json`
    ///     if it exists.
    /// - Throws: ``ConfigurationError``.
    package static func load(
        flags: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil
    ) throws -> GatewayConfiguration {
        let home = environment["HOME"] ?? ""
        let path = file ?? environment["SELENE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } ?? defaultFile(home)
        let expanded = path.map { SettingsReader.expand($0, home: home) }
        let reader = try SettingsReader(settings, flags: flags, environment: environment, file: expanded)
        var configuration = try GatewayConfiguration(reader)
        configuration.file = expanded
        configuration.unknownVariables = UnknownVariables.sentences(environment, settings: settings) { name in
            settings.contains { reader.text($0)?.contains("\"\(name)\"") == true }
        }
        configuration.filePath = expanded ?? SettingsReader.expand("~/.selene/config.json", home: home)
        return configuration
    }

    private init(_ reader: SettingsReader) throws {
        databasePath = SettingsReader.expand(try reader.nonEmptyText(.database), home: reader.home)
        server = try ServerSettings(reader)
        llm = try LLMSettings(reader)
        search = try SearchSettings(reader, database: databasePath)
        notes = try NotesSettings(reader)
        chat = try ChatSettings(reader)
        backfill = try BackfillSettings(reader)
        books = try BookSettings(reader, database: databasePath)
        goals = try GoalSettings(reader)
        web = try WebSettings(reader)
        mcp = try MCPSettings(reader)
        push = try PushSettings(reader)
        console = try ConsoleSettings(reader)
        effective = Self.settings.map { EffectiveSetting($0, reader) }
    }

    private static func defaultFile(_ home: String) -> String? {
        let path = SettingsReader.expand("~/.selene/config.json", home: home)
        // A file that cannot be looked at, or a link to nowhere, exists: reading it says what is wrong.
        var status = stat()
        if lstat(path, &status) == 0 { return path }
        return errno == ENOENT || errno == ENOTDIR ? nil : path
    }
}

/// Text that is safe to log: libraries print the values that they get, and those must not contain secrets.
extension GatewayConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// All settings with their values, secrets masked.
    package var description: String {
        "configuration(" + effective.map { "\($0.key): \($0.value ?? "unset")" }.joined(separator: ", ") + ")"
    }

    /// The same as ``description``.
    package var debugDescription: String { description }
}

extension Setting {
    static let database = Setting("database", default: "~/.selene/selene.sqlite", "path of the notes database")
}
