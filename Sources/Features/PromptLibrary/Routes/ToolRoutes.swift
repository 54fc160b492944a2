import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import KeyRoom
import Tools

/// The routes that list tools and call one by hand.
struct ToolRoutes: Sendable {
    private let tools: ToolRegistry
    private let privacy: NotePrivacy
    private let bodyLimit: Int

    init(tools: ToolRegistry, privacy: NotePrivacy, bodyLimit: Int) {
        self.tools = tools
        self.privacy = privacy
        self.bodyLimit = bodyLimit
    }

    /// `GET /api/tools`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let offered = tools.offered(to: caller(context, withholdsPrivate: false), writing: false)
        return JSONReply.response(
            ToolsResponse(
                tools: offered.tools.map {
                    ToolDescription(name: $0.name, summary: $0.summary, arguments: $0.arguments.json)
                }))
    }

    /// `POST /api/tools/:name`
    func call(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let name = try context.pathText("name", maxBytes: NotesLimits.maxWordBytes)
        let body = try await JSONRequest.decodeIfPresent(
            ToolCallRequest.self, from: request, limit: bodyLimit, in: context)
        let caller = caller(context, withholdsPrivate: body?.withholdsPrivate ?? false)
        let call = try checked(name, body?.arguments ?? .object([:]), for: caller)
        let began = ContinuousClock.now
        let result = try await context.scan { try await call.run(as: caller) }
        return JSONReply.response(
            ToolCallResponse(
                name: call.tool.name, arguments: .object(call.arguments.values), text: result.text,
                passages: result.passages.enumerated().map { place, found in
                    var passage = found.part
                    (passage.number, passage.source) = (place + 1, call.tool.name)
                    return passage
                }, content: result.content, withheld: result.withheld,
                milliseconds: (ContinuousClock.now - began) / .milliseconds(1)))
    }

    /// A call that the schema accepts. Tools that change data are not known here.
    private func checked(
        _ name: String, _ arguments: JSONValue, for caller: ToolCaller
    ) throws(GatewayError) -> CheckedCall {
        do {
            return try tools.offered(to: caller, writing: false).check(name, arguments)
        } catch {
            switch error {
            case .unknownTool(let text): throw GatewayError(.notFound, .notFound, text)
            case .invalidArguments(let text): throw GatewayError(.badRequest, .invalidField, text)
            }
        }
    }

    private func caller(_ context: GatewayRequestContext, withholdsPrivate: Bool) -> ToolCaller {
        let identity = context.identity
        return ToolCaller(
            key: identity.admissionName, actor: identity.callerName, scopes: Set(identity.grant.scopes.map(\.rawValue)),
            hides: withholdsPrivate ? privacy : nil,
            charge: { [keys = context.keys] tokens, model in
                keys?.recordTokens(identity, of: model, prompt: tokens, completion: 0)
            })
    }
}
