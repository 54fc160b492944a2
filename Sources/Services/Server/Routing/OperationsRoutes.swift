package import GatewayAPI
package import Hummingbird
import NIOCore

/// `GET /metrics` and `GET /api/admin/stats`.
package struct OperationsRoutes: Sendable {
    private let registry: MetricsRegistry
    private let statistics: @Sendable () async -> StatsResponse

    /// Serves the metrics of a registry, and the figures that a closure collects.
    package init(registry: MetricsRegistry, statistics: @escaping @Sendable () async -> StatsResponse) {
        self.registry = registry
        self.statistics = statistics
    }

    /// Answers with all metrics in Prometheus' text format.
    package func metrics(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = ByteBuffer(string: await registry.scrape())
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusText.contentType, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body))
    }

    /// Answers with the figures as JSON.
    package func stats(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(await statistics())
    }
}
