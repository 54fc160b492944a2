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

    /// The figures as a topic of the console. Times and small changes of the memory are no change.
    package var figures: LiveTopic {
        LiveTopic("figures", .admin, essence: Self.essence, statistics)
    }

    private static func essence(_ figures: StatsResponse) -> StatsResponse {
        var figures = figures
        (figures.uptimeSeconds, figures.process.cpuSeconds, figures.process.openFiles) = (0, 0, nil)
        figures.process.residentBytes = figures.process.residentBytes.map { $0 / 4_000_000 }
        figures.upstream.latencyMilliseconds = 0
        return figures
    }

    /// Answers with the figures as JSON.
    package func stats(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(await statistics())
    }
}
