import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
package import Server
import KeyRoom
package import Tools

/// `POST /mcp`: the Model Context Protocol over Streamable HTTP, without sessions.
package struct MCPRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let server: MCPServer
    private let hides: NotePrivacy?
    private let live: LiveSettings
    private let metrics = MCPMetrics()
    private let readers = EventReaders(of: "MCP notices", limit: 64, limitOfKey: 8)

    /// Creates the route.
    ///
    /// - Parameter hides: The notes that no client gets; nil for none.
    package init(server: MCPServer, hides: NotePrivacy?, live: LiveSettings) {
        self.server = server
        self.hides = hides
        self.live = live
    }

    /// Adds the route. The router must require keys already.
    package func add(to router: GatewayRouter) {
        // Any key may connect: what it may use depends on its scopes, tool by tool.
        router.add(.post, "/mcp", .requireKey, post)
    }

    /// Writes the feature's metrics.
    package func write(to text: inout PrometheusText) { metrics.write(to: &text, readers: readers.count) }

    private func post(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try checkOrigin(of: request, context)
        let bytes = try await JSONRequest.bytes(of: request, limit: MCPServer.maxMessageBytes, in: context)
        let message: RPCMessage
        do throws(RPCRefusal) {
            message = try RPCMessage(parsing: bytes)
        } catch {
            return Self.reply(RPCReply.error(error.error, to: error.id), error.error.code.status)
        }
        // Nothing that a client may notify of over HTTP has an effect: it cancels by closing the connection.
        guard case .request(let call) = message else { return Response(status: .accepted) }
        let headers = MCPHeaders(
            version: request.headers[.mcpProtocolVersion], method: request.headers[.mcpMethod],
            name: request.headers[.mcpName])
        let revision: MCPRevision
        do throws(RPCError) {
            revision = try MCPEnvelope.revision(of: call, headers: headers)
        } catch {
            return Self.reply(RPCReply.error(error, to: call.id), error.code.status)
        }
        metrics.count(call, revision)
        do {
            return try await answer(call, revision, context)
        } catch let error as RPCError {
            return Self.reply(RPCReply.error(error, to: call.id), revision.isStateless ? error.code.status : 200)
        }
    }

    private func answer(
        _ call: RPCRequest, _ revision: MCPRevision, _ context: GatewayRequestContext
    ) async throws -> Response {
        let caller = caller(context)
        if let subscription = try await server.subscription(call, revision, for: caller) {
            let place = try readers.take(context.identity.rootKey)
            return SubscriptionStream(subscription: subscription, reader: context.eventReader(.notesRead)).response(
                place)
        }
        let work: @Sendable () async throws -> JSONValue = { [server] in
            try await server.answer(call, revision, for: caller)
        }
        var result: JSONValue?
        defer { metrics.count(call, result, tools: server.toolNames) }
        result = server.readsManyRows(call) ? try await context.scan(work) : try await context.client.whilePresent(work)
        return Self.reply(RPCReply.result(result ?? .null, to: call.id), 200)
    }

    /// Rejects pages of other sites. A page of the gateway itself, and those that SELENE_ORIGINS allows, may call.
    private func checkOrigin(of request: Request, _ context: GatewayRequestContext) throws(GatewayError) {
        guard let origin = request.headers[.origin] else { return }
        if let authority = request.head.authority, origin.lowercased().hasSuffix("://" + authority.lowercased()) {
            return
        }
        let needsKeys = context.identity.holder != .anonymous
        guard live.current.origins.allows(origin, needsKeys: needsKeys) else {
            throw OriginRules.refusal(of: origin, needsKeys: needsKeys)
        }
    }

    private func caller(_ context: GatewayRequestContext) -> MCPCaller {
        let identity = context.identity
        let tools = ToolCaller(
            key: identity.admissionName, actor: identity.callerName, scopes: Set(identity.grant.scopes.map(\.rawValue)),
            hides: hides,
            charge: { [keys = context.keys] tokens, model in
                keys?.recordTokens(identity, of: model, prompt: tokens, completion: 0)
            },
            isSpent: { [keys = context.keys] in keys?.isSpent(identity) ?? false })
        return MCPCaller(tools: tools) { [keys = context.keys] scope in
            try keys?.requireScope(scope, for: identity)
        }
    }

    private static func reply(_ json: [UInt8], _ status: Int) -> Response {
        JSONReply.response(json: ByteBuffer(bytes: json), status: HTTPResponse.Status(integerLiteral: status))
    }
}
