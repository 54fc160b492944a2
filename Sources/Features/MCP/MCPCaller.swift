package import GatewayAPI
package import Tools

/// The client of a request, with its rights.
package struct MCPCaller: Sendable {
    /// The client as the caller of tools.
    package let tools: ToolCaller
    private let refuse: @Sendable (KeyScope) throws -> Void

    /// Creates a client.
    ///
    /// - Parameter refuse: Throws when the key lacks a scope.
    package init(tools: ToolCaller, refuse: @escaping @Sendable (KeyScope) throws -> Void) {
        self.tools = tools
        self.refuse = refuse
    }

    /// The owner of the database file, with every scope.
    package static func owner(hides: NotePrivacy?) -> MCPCaller {
        MCPCaller(tools: ToolCaller(key: nil, scopes: nil, hides: hides)) { _ in }
    }

    /// Rejects a client without a scope.
    func require(_ scope: KeyScope) throws { try refuse(scope) }
}
