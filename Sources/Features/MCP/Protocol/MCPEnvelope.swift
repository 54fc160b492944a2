import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The headers that repeat parts of a request's body over HTTP; nil where a header is absent.
package struct MCPHeaders: Sendable, Hashable {
    /// `MCP-Protocol-Version`
    package var version: String?
    /// `Mcp-Method`
    package var method: String?
    /// `Mcp-Name`: the name of the tool or prompt, or the URI of the resource.
    package var name: String?

    package init(version: String? = nil, method: String? = nil, name: String? = nil) {
        self.version = version
        self.method = method
        self.name = name
    }

    /// The parameter that `Mcp-Name` repeats, by method.
    package static let named = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]

    /// The text of a header's value: `=?base64?…?=` is decoded. Nil when it is not UTF-8 in canonical Base64.
    static func decoded(_ value: String) -> String? {
        let (prefix, suffix) = ("=?base64?", "?=")
        guard value.hasPrefix(prefix), value.hasSuffix(suffix),
            value.utf8.count >= prefix.utf8.count + suffix.utf8.count
        else { return value }
        let payload = String(value.dropFirst(prefix.count).dropLast(suffix.count))
        guard let data = Data(base64Encoded: payload), data.base64EncodedString() == payload else { return nil }
        return String(validating: data, as: UTF8.self)
    }

    /// The value of a header for a text: Base64 when the text is not plain ASCII.
    package static func encoded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isPlain, text.first != " ", text.last != " ", !text.hasPrefix("=?base64?") { return text }
        return "=?base64?\(Data(text.utf8).base64EncodedString())?="
    }
}

/// What a client says about itself with a request.
package enum MCPEnvelope {
    /// The member of `_meta` with the revision.
    package static let versionKey = "io.modelcontextprotocol/protocolVersion"
    private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"

    /// The revision of a request.
    ///
    /// A request belongs to a stateless revision when its `_meta` or its header names one, or when its method is
    /// `server/discover`. Then `_meta` must be complete, and the headers must equal the body.
    ///
    /// - Parameters:
    ///   - headers: The headers of an HTTP request; nil for a message over standard input.
    ///   - agreed: The revision that `initialize` agreed on, of a client without such a header.
    /// - Throws: ``RPCError``.
    package static func revision(
        of request: RPCRequest, headers: MCPHeaders?, agreed: MCPRevision = .unnamed
    ) throws(RPCError) -> MCPRevision {
        var meta: [String: JSONValue]?
        if case .object(let members)? = request.params["_meta"] { meta = members }
        let claimed = meta?[versionKey]
        if claimed == nil, request.method != "server/discover" {
            guard let header = headers?.version else { return agreed }
            guard let known = MCPRevision(rawValue: header) else { throw .unsupported(header) }
            if !known.isStateless { return known }
        }
        let missing = [versionKey, capabilitiesKey].filter { meta?[$0] == nil }
        guard let meta, missing.isEmpty else {
            throw RPCError(.invalidParams, "params._meta: \(missing.joined(separator: " and ")) required")
        }
        if let headers { try check(headers, against: request, claimed) }
        guard case .string(let version)? = claimed else {
            throw RPCError(.invalidParams, "params._meta: \(versionKey) must be a string")
        }
        guard case .object? = meta[capabilitiesKey] else {
            throw RPCError(.invalidParams, "params._meta: \(capabilitiesKey) must be an object")
        }
        guard let revision = MCPRevision(rawValue: version), revision.isStateless else { throw .unsupported(version) }
        return revision
    }

    private static func check(
        _ headers: MCPHeaders, against request: RPCRequest, _ version: JSONValue?
    ) throws(RPCError) {
        guard let given = headers.version, version == .string(given) else {
            throw mismatch("MCP-Protocol-Version", "_meta's protocol version")
        }
        guard headers.method == request.method else { throw mismatch("Mcp-Method", "method") }
        guard let name = MCPHeaders.named[request.method], let value = request.params[name] else { return }
        guard let given = headers.name.flatMap(MCPHeaders.decoded), value == .string(given) else {
            throw mismatch("Mcp-Name", "\"\(name)\"")
        }
    }

    private static func mismatch(_ header: String, _ part: String) -> RPCError {
        RPCError(.headerMismatch, "the header \(header) must equal the body's \(part)")
    }
}
