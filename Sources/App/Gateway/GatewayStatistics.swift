import Access
import Console
import GatewayAPI
import KeyRoom
import LLM
import Machine
import Search
import Server

/// Collects the figures of all parts of the gateway, on request.
struct GatewayStatistics: Sendable {
    let metrics: GatewayMetrics
    let llm: LLMMetrics
    let search: SearchMetrics
    let stored: KeyRoom
    let keys: KeyRing
    let connections: OpenConnections
    let bodies: BodyLimits
    /// The number of log lines that were dropped.
    let droppedLogLines: @Sendable () -> Int
    let startedAt = ContinuousClock.now

    /// The reply of `GET /api/admin/stats`.
    func response() async -> StatsResponse {
        let totals = metrics.totals
        return StatsResponse(
            version: GatewayVersion.current,
            uptimeSeconds: (startedAt.duration(to: .now).seconds * 1000).rounded() / 1000,
            requests: .init(
                total: totals.requests, failed: totals.failed, cancelled: totals.cancelled,
                inFlight: metrics.inFlight.value),
            tokens: .init(prompt: metrics.promptTokens.value, generated: metrics.generatedTokens.value),
            admission: llm.admissionState, embeddingLane: llm.laneState, embeddingCache: llm.cacheState,
            keys: await KeyUse.today(stored, now: keys.clock.unixSeconds()), upstream: await llm.upstreamState(),
            upstreams: llm.endpointStates, index: await search.indexState(), process: processState,
            connections: .init(
                open: metrics.connections.value, max: connections.limit, refused: metrics.refusedConnections.value),
            bodies: .init(
                bytesInMemory: bodies.memory.used, maxBytesInMemory: bodies.memory.capacity,
                bytesOnDisk: bodies.spool.used, refused: bodies.memory.refused.value + bodies.spool.refused.value,
                tooSlow: bodies.tooSlow.value),
            droppedLogLines: droppedLogLines())
    }

    private var processState: StatsResponse.Process {
        let now = ProcessStatistics.current
        return .init(
            residentBytes: now.residentBytes, cpuSeconds: now.cpuSeconds, openFiles: now.openFiles,
            maxFiles: now.maxFiles)
    }
}
