import GatewayAPI
import Storage
import Tools

/// `tools/list` and `tools/call`.
struct MCPTools: Sendable {
    private let faces: [ToolFace]
    private let registry: ToolRegistry
    /// The names of all tools.
    let names: Set<String>

    /// - Throws: ``ToolRegistryError``.
    init(_ tools: [Tool], _ options: MCPServer.Options) throws(ToolRegistryError) {
        var faces = ToolFace.all(tools, deletes: options.deletes)
        if options.addsSearchAndFetch, let more = FixedNameTools(tools) {
            faces += more.all.map { ToolFace($0, as: $0.name, previews: nil) }
        }
        self.faces = faces
        names = Set(faces.map(\.name))
        // The registry checks arguments under the names that clients use.
        registry = try ToolRegistry(faces.map { $0.tool.named($0.name) })
    }

    /// The tools that a caller may call, in a fixed order.
    func list(for caller: ToolCaller, _ revision: MCPRevision) -> [JSONValue] {
        offered(to: caller).filter { caller.mayCall($0.tool) }.map { $0.json(revision) }
    }

    private func offered(to caller: ToolCaller) -> [ToolFace] {
        caller.hides == nil ? faces : faces.filter { !$0.isPrivate }
    }

    /// `tools/call`: wrong arguments and failures of a tool are results that the model reads.
    ///
    /// - Throws: ``RPCError`` for an unknown tool; the errors of access; errors of storage that the model cannot correct.
    func call(_ params: MCPParams, _ revision: MCPRevision, _ caller: MCPCaller) async throws -> MCPResult {
        let name = try params.text("name")
        let arguments = try params.object("arguments")
        let offered = offered(to: caller.tools)
        guard let face = offered.first(where: { $0.name == name }) else {
            let names = offered.filter { caller.tools.mayCall($0.tool) }.map(\.name).joined(separator: ", ")
            throw RPCError(.invalidParams, "there is no tool \"\(name.prefix(64))\"; tools: \(names)")
        }
        if let scope = face.tool.scope, !caller.tools.mayCall(face.tool) {
            try caller.require(KeyScope(rawValue: scope))
        }
        do {
            let call = try registry.check(name, .object(arguments))
            let result = try await call.run(as: caller.tools)
            return MCPResult(ToolReport(result, by: face).json(revision))
        } catch let refusal as ToolCallRefusal {
            switch refusal {
            case .unknownTool(let text), .invalidArguments(let text): return Self.failure(text)
            }
        } catch let error as StorageError where [.notFound, .conflict, .invalid].contains(error.code) {
            return Self.failure(error.message)
        }
    }

    private static func failure(_ text: String) -> MCPResult {
        MCPResult([
            "content": .array([.object(["type": .string("text"), "text": .string(text)])]), "isError": .bool(true),
        ])
    }
}

extension Tool {
    /// The same tool under another name.
    fileprivate func named(_ name: String) -> Tool {
        Tool(name, summary, arguments: arguments, scope: scope, writes: writes, about: subject, handler: handler)
    }
}
