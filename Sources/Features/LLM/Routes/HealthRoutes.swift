import Access
import GatewayAPI
import Hummingbird
import Inference
import Server

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /health` and `GET /api/llm/health`.
struct HealthRoutes: Sendable {
    let upstream: OllamaUpstream
    let version: String

    /// Reports on the gateway itself. Does not check Ollama, and uses neither network nor disk.
    func health(_ request: Request, _ context: GatewayRequestContext) -> Response {
        JSONReply.response(
            HealthResponse(
                status: "ok", timestamp: Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
                version: version))
    }

    /// Reports whether Ollama answers. The status is 200 either way.
    func llmHealth(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let health = try await context.client.whilePresent { [upstream] in
            await upstream.health(timeout: .seconds(5))
        }
        func isShown(_ model: String) -> Bool { context.keys?.allows(model: model, to: context.identity) ?? true }
        let several = upstream.endpoints.map { status in
            LLMHealthResponse.Upstream(
                name: status.name, available: status.isHealthy, inFlight: status.inFlight,
                loaded: status.loaded.filter(isShown),
                reason: status.reason)
        }
        return JSONReply.response(
            LLMHealthResponse(
                available: health.available, version: health.version, models: health.models.filter(isShown),
                latencyMilliseconds: health.latency.milliseconds, reason: health.reason,
                upstreams: several.count > 1 ? several : nil))
    }
}
