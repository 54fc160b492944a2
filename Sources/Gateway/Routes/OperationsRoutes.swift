import HTTPTypes
import Hummingbird
import NIOCore

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
