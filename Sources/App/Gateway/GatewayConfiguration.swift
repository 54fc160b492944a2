package import Backfill
package import Books
package import Chat
package import Console
package import GoalTracking
import Inference
package import LLM
package import MCP
package import Notes
package import Notifications
package import Search
package import Server
import Transport
package import Web
package import WebSearch

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Everything that a gateway needs to know before it starts, checked. Each module reads its own settings.
package struct GatewayConfiguration: Sendable {
    /// Every setting by subject, in the order in which `selene config` shows them.
    package static let sections: [(subject: String, settings: [Setting])] = [
        ("Server", [.database] + ServerSettings.all), ("Models", LLMSettings.all), ("Search", SearchSettings.all),
        ("Notes", NotesSettings.all), ("Chat", ChatSettings.all), ("Embedding", BackfillSettings.all),
        ("Books", BookSettings.all), ("Goals", GoalSettings.all), ("Web search", WebSearchSettings.all),
        ("Web client", WebSettings.all),
        ("MCP", MCPSettings.all), ("Notifications", PushSettings.all), ("Console", ConsoleSettings.all),
        ("Traces", TelemetrySettings.all),
    ]

    /// Every setting, in the same order.
    package static let settings: [Setting] = sections.flatMap(\.settings)

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
    package var webSearch: WebSearchSettings
    /// The web client.
    package var web: WebSettings
    /// The MCP server.
    package var mcp: MCPSettings
    /// Notifications.
    package var push: PushSettings
    /// What the console shows.
    package var console: ConsoleSettings
    /// Traces for a collector.
    package var telemetry: TelemetrySettings
    /// The configuration file that was read; nil when there is none.
    package var file: String?
    /// Where a configuration file is looked for, whether it exists or not.
    package var filePaths: [String] = []
    /// Sentences about environment variables that begin with `SELENE_` and are no settings.
    package var unknownVariables: [String] = []
    /// Every setting as text with its origin, secrets masked, for `selene config`.
    package var effective: [EffectiveSetting]

    /// Loads the configuration through its layers: flags over environment over file over defaults.
    ///
    /// - Parameters:
    ///   - flags: Values from the command line by setting key, for example `["port": "8080"]`.
    ///   - environment: The process environment.
    ///   - file: A configuration file that must exist. When nil, `SELENE_CONFIG`, then ``usualFiles`` where
    ///     one exists.
    ///   - text: What counts instead of the text of that file, whether it exists or not.
    /// - Throws: ``ConfigurationError``.
    package static func load(
        flags: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        file: String? = nil, text: Data? = nil
    ) throws -> GatewayConfiguration {
        let home = environment["HOME"] ?? ""
        let named = file ?? environment["SELENE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let expanded =
            try named.map { SettingsReader.expand($0, home: home) } ?? usualFile(home)
            ?? (text == nil ? nil : usualFiles.first.map { SettingsReader.expand($0, home: home) })
        let reader = try SettingsReader(settings, flags: flags, environment: environment, file: expanded, text: text)
        var configuration = try GatewayConfiguration(reader)
        configuration.file = expanded
        configuration.unknownVariables = UnknownVariables.sentences(environment, settings: settings) { name in
            settings.contains { reader.text($0)?.contains("\"\(name)\"") == true }
        }
        configuration.filePaths = expanded.map { [$0] } ?? usualFiles.map { SettingsReader.expand($0, home: home) }
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
        webSearch = try WebSearchSettings(reader)
        web = try WebSettings(reader)
        mcp = try MCPSettings(reader)
        push = try PushSettings(reader)
        console = try ConsoleSettings(reader)
        telemetry = try TelemetrySettings(reader)
        effective = Self.settings.map { EffectiveSetting($0, reader) }
    }

    /// Checks that no upstream is the gateway itself, which would ask itself without end.
    ///
    /// - Throws: ``ConfigurationError``.
    func checkUpstreams(of server: ServerSettings) throws(ConfigurationError) {
        let loopback: Set = ["127.0.0.1", "localhost", "::1", "[::1]"]
        let own = loopback.contains(server.host) || ["0.0.0.0", "::"].contains(server.host) ? loopback : [server.host]
        for upstream in llm.upstreams {
            guard let url = URL(string: upstream.upstream.baseURL), let host = url.host(), own.contains(host),
                url.port ?? (url.scheme == "https" ? 443 : 80) == server.port
            else { continue }
            throw ConfigurationError(
                message:
                    "the upstream \(upstream.upstream.baseURL) is the address of this gateway, which would ask itself "
                    + "without end. OLLAMA_HOST names Ollama, such as http://127.0.0.1:11434; SELENE_PORT is the gateway's own"
            )
        }
    }

    /// Where the configuration file is when nobody named one.
    package static let usualFiles = ["~/.selene/config.yaml", "~/.selene/config.json"]

    private static func usualFile(_ home: String) throws(ConfigurationError) -> String? {
        let files = usualFiles.map { SettingsReader.expand($0, home: home) }.filter { path in
            // A file that cannot be looked at, or a link to nowhere, exists: reading it says what is wrong.
            var status = stat()
            return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
        }
        guard files.count < 2 else {
            throw ConfigurationError(
                message: "there are two configuration files, \(files.joined(separator: " and ")): move the settings of "
                    + "one into the other")
        }
        return files.first
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
