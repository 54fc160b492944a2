import ArgumentParser
import Foundation
import GatewayAPI

/// `selene mcp config`: prints the settings with which an assistant finds the gateway.
struct MCPConfigCommand: ParsableCommand {
    /// An assistant with its own format of settings.
    enum Host: String, CaseIterable, ExpressibleByArgument {
        case claude, cursor, vscode, codex

        /// Where the settings belong.
        var place: String {
            switch self {
            case .claude: "claude_desktop_config.json, or .mcp.json of a project"
            case .cursor: "~/.cursor/mcp.json, or .cursor/mcp.json of a project"
            case .vscode: ".vscode/mcp.json of a project"
            case .codex: "~/.codex/config.toml"
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings for an assistant: claude, cursor, vscode or codex.",
        discussion: """
            Standard output has the settings, standard error where they belong. With --url the assistant connects to a \
            running gateway over HTTP and reads the key from SELENE_KEY, which is never printed. Make one with \
            `selene keys create NAME --scope notes:read`.

              selene mcp config claude                                   start `selene mcp` on the database file
              selene mcp config cursor --database ~/notes.sqlite         on another file
              selene mcp config codex --url http://127.0.0.1:5678        over HTTP
            """)

    @Argument(help: "The assistant: claude, cursor, vscode or codex.")
    var host: Host

    @Option(help: "Address of a running gateway; without one, the assistant starts `selene mcp`.")
    var url: String?

    @Option(help: "Path of the notes database (default: that of SELENE_DATABASE or of the configuration file).")
    var database: String?

    func run() throws {
        if url != nil, database != nil { throw ValidationError("--database: cannot be combined with --url") }
        Terminal.note("# \(host.place)")
        Terminal.line(host == .codex ? toml : json)
    }

    private var program: String { Bundle.main.executablePath ?? "selene" }
    private var arguments: [String] { ["mcp"] + (database.map { ["--database", $0] } ?? []) }

    /// The address of the MCP route; nil for a command.
    private var address: String? {
        url.map { url in
            let address = CommandTarget.base(url)
            return address.hasSuffix("/mcp") ? address : address + "/mcp"
        }
    }

    private var json: String {
        var server: [String: JSONValue]
        if let address {
            let variable = host == .claude ? "${SELENE_KEY}" : "${env:SELENE_KEY}"
            server = [
                "url": .string(address),
                "headers": .object(["Authorization": .string("Bearer \(variable)")]),
            ]
            if host != .cursor { server["type"] = .string("http") }
        } else {
            server = ["command": .string(program), "args": .array(arguments.map(JSONValue.string))]
            if host == .vscode { server["type"] = .string("stdio") }
        }
        let settings = JSONValue.object([
            host == .vscode ? "servers" : "mcpServers": .object(["selene": .object(server)])
        ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // A value of strings always has a JSON text.
        return (try? encoder.encode(settings)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private var toml: String {
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).json, as: UTF8.self) }
        var lines = ["[mcp_servers.selene]"]
        if let address {
            lines += ["url = \(quoted(address))", "bearer_token_env_var = \"SELENE_KEY\""]
        } else {
            lines += [
                "command = \(quoted(program))", "args = [\(arguments.map(quoted).joined(separator: ", "))]",
            ]
        }
        return lines.joined(separator: "\n")
    }
}
