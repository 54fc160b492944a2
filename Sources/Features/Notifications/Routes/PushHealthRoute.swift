import GatewayAPI
import HTTPTypes
import Hummingbird
import Server

/// `GET /api/v1/health`: what Pulpit's app asks for before it registers.
struct PushHealthRoute: Sendable {
    let version: String

    func health(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(PushHealth(status: "ok", name: "Selene Gateway", version: version))
    }
}
