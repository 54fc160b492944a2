package import GatewayAPI

extension ToolRegistry {
    /// Checks a single call from outside a chat, by the same rules as those of a model.
    ///
    /// - Throws: ``ToolCallRefusal``.
    package func check(_ name: String, _ arguments: JSONValue) throws(ToolCallRefusal) -> CheckedCall {
        var reader = ToolCallReader(tools: self)
        switch reader.read([ToolCall(name: name, arguments: .value(arguments))]).first {
        case .run(let call): return call
        case .refused(_, _, let text), .answered(_, _, let text):
            throw tool(named: name) == nil ? .unknownTool(text) : .invalidArguments(text)
        case nil: throw .unknownTool(Remark.unknown(name, tools: names))
        }
    }
}

/// Why a call from outside a chat was not carried out, with a text for people.
package enum ToolCallRefusal: Error, Sendable, Hashable {
    /// No offered tool has the name.
    case unknownTool(String)
    /// The arguments do not match the schema.
    case invalidArguments(String)
}
