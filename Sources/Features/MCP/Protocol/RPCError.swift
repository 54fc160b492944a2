package import GatewayAPI

/// An error of JSON-RPC, as the client sees it.
package struct RPCError: Error, Sendable, Hashable {
    /// The codes of JSON-RPC and of the Model Context Protocol.
    package enum Code: Int64, Sendable {
        case parse = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case `internal` = -32603
        case headerMismatch = -32020
        case unsupportedVersion = -32022

        /// The HTTP status of a reply in a stateless revision. Older revisions answer a readable request with 200.
        package var status: Int {
            switch self {
            case .methodNotFound: 404
            case .internal: 200
            default: 400
            }
        }
    }

    package let code: Code
    /// One sentence for people.
    package let message: String
    /// Details for programs; nil for none.
    package let data: JSONValue?

    package init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The error for a method that the revision does not have.
    static func unknown(_ method: String) -> RPCError {
        RPCError(.methodNotFound, "there is no method \"\(method.prefix(64))\"")
    }

    /// The error for a revision that the server does not have.
    static func unsupported(_ requested: String) -> RPCError {
        RPCError(
            .unsupportedVersion, "this server does not speak protocol version \"\(requested.prefix(64))\"",
            data: .object([
                "requested": .string(String(requested.prefix(64))),
                "supported": .array(MCPRevision.supported.map(JSONValue.string)),
            ]))
    }

    /// The error as a JSON-RPC object.
    var json: JSONValue {
        var members: [String: JSONValue] = ["code": .integer(code.rawValue), "message": .string(message)]
        members["data"] = data
        return .object(members)
    }
}
