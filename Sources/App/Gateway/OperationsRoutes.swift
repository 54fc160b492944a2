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

/// `GET /openapi.yaml`: the description of all the gateway's own routes.
struct OpenAPIRoute: Sendable {
    private let document: ByteBuffer

    /// Joins the parts, each in UTF-8.
    init(_ parts: [[UInt8]]) {
        document = ByteBuffer(string: OpenAPIDocument.joined(parts.map { String(decoding: $0, as: UTF8.self) }))
    }

    func handle(_ request: Request, _ context: GatewayRequestContext) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/yaml; charset=utf-8", .contentLength: String(document.readableBytes)],
            body: ResponseBody(byteBuffer: document))
    }
}
