package import Server

/// The settings of the MCP server.
package struct MCPSettings: Sendable {
    /// The settings, in the order in which `selene config` shows them.
    package static let all: [Setting] = [.mcp, .mcpPrivate, .mcpDelete, .mcpSearch]

    /// Whether the gateway answers at `/mcp`.
    package var isOn: Bool
    /// Whether clients get private notes and books too.
    package var showsPrivate: Bool
    /// Whether clients may delete notes.
    package var deletes: Bool
    /// Whether the tools `search` and `fetch` are added.
    package var addsSearchAndFetch: Bool

    /// Reads and checks the settings.
    ///
    /// - Throws: ``ConfigurationError``.
    package init(_ reader: SettingsReader) throws {
        isOn = try reader.word(.mcp, as: Switch.self) == .on
        showsPrivate = try reader.word(.mcpPrivate, as: Switch.self) == .on
        deletes = try reader.word(.mcpDelete, as: Switch.self) == .on
        addsSearchAndFetch = try reader.word(.mcpSearch, as: Switch.self) == .on
    }
}

extension MCPServer.Options {
    /// The options that the settings name.
    ///
    /// - Parameter version: The version of the gateway.
    package init(_ settings: MCPSettings, version: String) {
        self.init(version: version)
        deletes = settings.deletes
        addsSearchAndFetch = settings.addsSearchAndFetch
    }
}

extension Setting {
    package static let mcp = Setting("mcp", default: "on", editable: true, "off: do not answer MCP clients at /mcp")
    package static let mcpPrivate = Setting(
        "mcp_private", default: "off", editable: true,
        "on: MCP clients get private notes (SELENE_PRIVATE) and books, memories and tasks; for models on this machine")
    package static let mcpDelete = Setting(
        "mcp_delete", default: "off", editable: true, "on: MCP clients may delete notes")
    package static let mcpSearch = Setting(
        "mcp_search", default: "off", editable: true,
        "on: adds the tools search and fetch, for MCP clients that want these names")
}
