import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.yaml`: the description of every route of ours, embedded in the binary.
struct OpenAPIRoute: Sendable {
    func handle(_ request: Request, _ context: GatewayRequestContext) -> Response {
        let body = ByteBuffer(bytes: PackageResources.openapi_yaml)
        return Response(
            status: .ok,
            headers: [.contentType: "application/yaml; charset=utf-8", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }
}
