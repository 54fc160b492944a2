package import GatewayAPI
import Inference
import Transport

/// The same figures for `GET /api/admin/stats`.
extension LLMMetrics {
    package var admissionState: StatsResponse.Admission {
        let now = admission.snapshot
        return .init(
            inFlight: now.inFlight, maxInFlight: admission.limits.maxInFlight,
            waiting: Dictionary(
                uniqueKeysWithValues: AdmissionPriority.allCases.map { ($0.name, now.waiting[$0] ?? 0) }),
            maxWaiting: admission.limits.maxWaiting, granted: now.statistics.granted.values.reduce(0, +),
            refused: now.statistics.refused.values.reduce(0, +),
            cancelled: now.statistics.cancelled.values.reduce(0, +), meanServiceSeconds: now.meanServiceSeconds,
            retryAfterSeconds: admission.expectedWaitSeconds)
    }

    package var laneState: StatsResponse.EmbeddingLane {
        let now = lane.statistics
        return .init(
            inFlight: now.inFlight, calls: now.calls, inputs: now.inputs, shared: now.shared, refused: now.refused)
    }

    package var cacheState: StatsResponse.EmbeddingCache? {
        lane.cache.map { cache in
            let now = cache.statistics
            return .init(
                hits: now.hits, misses: now.misses, entries: now.entries, bytes: now.bytes, evictions: now.evictions,
                isOff: now.isOff)
        }
    }

    /// All upstreams together, as the last health check saw them.
    package func upstreamState() async -> StatsResponse.Upstream {
        let health = await probe.latest()
        return .init(
            url: pool.endpoints.map(\.configuration.upstream.baseURL).joined(separator: ", "),
            available: health.available, version: health.version, latencyMilliseconds: health.latency.milliseconds,
            inFlight: pool.inFlight, reason: health.reason)
    }

    package var endpointStates: [StatsResponse.Endpoint] {
        pool.endpoints.map(\.status).map {
            .init(
                name: $0.name, url: $0.baseURL, inOrder: $0.isHealthy, inFlight: $0.inFlight, loaded: $0.loaded,
                reason: $0.reason,
                breaker: .init(
                    state: $0.breaker.state.rawValue, since: $0.breaker.since.map(Timestamp.iso8601),
                    nextTry: $0.breaker.nextTry.map(Timestamp.iso8601), failedRequests: $0.breaker.failedRequests,
                    failedProbes: $0.breaker.failedProbes))
        }
    }
}
