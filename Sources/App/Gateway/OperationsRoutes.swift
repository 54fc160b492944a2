import HTTPTypes
import Hummingbird
import NIOCore
import Server

/// `GET /metrics` and `GET /api/admin/stats`.
struct OperationsRoutes: Sendable {
    let statistics: GatewayStatistics
    let registry: MetricsRegistry

    /// Everything in Prometheus' text format.
    func metrics(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = ByteBuffer(string: await registry.scrape())
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusText.contentType, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }

    /// The figures for a person or a script.
    func stats(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(await statistics.response())
    }
}

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
