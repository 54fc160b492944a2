import HTTPTypes
import Hummingbird
import NIOCore
import Server

/// `GET /metrics` and `GET /api/admin/stats`.
struct OperationsRoutes: Sendable {
    let statistics: GatewayStatistics
    let registry: MetricsRegistry

    /// Answers with all metrics in Prometheus' text format.
    func metrics(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = ByteBuffer(string: await registry.scrape())
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusText.contentType, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }

    /// Answers with the same figures as JSON.
    func stats(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(await statistics.response())
    }
}

/// `GET /openapi.yaml`: the description of all the gateway's own routes, embedded in the binary.
struct OpenAPIRoute: Sendable {
    func handle(_ request: Request, _ context: GatewayRequestContext) -> Response {
        let body = ByteBuffer(bytes: PackageResources.openapi_yaml)
        return Response(
            status: .ok,
            headers: [.contentType: "application/yaml; charset=utf-8", .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }
}
