import Access
import GatewayAPI
import Inference
import LLM
import Machine
import Retrieval
import Search
import Server
import Storage
import Transport

/// Collects the figures of all parts of the gateway, on request.
struct GatewayStatistics: Sendable {
    let metrics: GatewayMetrics
    let admission: Admission
    let lane: EmbeddingLane
    let pool: EndpointPool
    let probe: UpstreamProbe
    let retrieval: RetrievalService
    let database: GatewayDatabase
    let keys: KeyRing
    let connections: OpenConnections
    let bodies: BodyLimits
    /// The number of log lines that were dropped.
    let droppedLogLines: @Sendable () -> Int
    let startedAt = ContinuousClock.now

    /// The reply of `GET /api/admin/stats`.
    func response() async -> StatsResponse {
        let totals = metrics.totals
        let health = await probe.latest()
        return StatsResponse(
            version: GatewayVersion.current,
            uptimeSeconds: (startedAt.duration(to: .now).seconds * 1000).rounded() / 1000,
            requests: .init(
                total: totals.requests, failed: totals.failed, cancelled: totals.cancelled,
                inFlight: metrics.inFlight.value),
            tokens: .init(prompt: metrics.promptTokens.value, generated: metrics.generatedTokens.value),
            admission: admissionState, embeddingLane: laneState, embeddingCache: cacheState, keys: await keyUse(),
            upstream: .init(
                url: pool.endpoints.map(\.configuration.upstream.baseURL).joined(separator: ", "),
                available: health.available, version: health.version,
                latencyMilliseconds: health.latency.milliseconds, inFlight: pool.inFlight, reason: health.reason),
            upstreams: pool.endpoints.map(\.status).map {
                .init(
                    name: $0.name, url: $0.baseURL, inOrder: $0.isInOrder, inFlight: $0.inFlight, loaded: $0.loaded,
                    reason: $0.reason)
            },
            index: await indexState(), process: processState,
            connections: .init(
                open: metrics.connections.value, max: connections.limit, refused: metrics.refusedConnections.value),
            bodies: .init(
                bytesInMemory: bodies.memory.used, maxBytesInMemory: bodies.memory.capacity,
                bytesOnDisk: bodies.spool.used, refused: bodies.memory.refused.value + bodies.spool.refused.value,
                tooSlow: bodies.tooSlow.value),
            droppedLogLines: droppedLogLines())
    }

    private var admissionState: StatsResponse.Admission {
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

    private var laneState: StatsResponse.EmbeddingLane {
        let now = lane.statistics
        return .init(
            inFlight: now.inFlight, calls: now.calls, inputs: now.inputs, shared: now.shared, refused: now.refused)
    }

    private var cacheState: StatsResponse.EmbeddingCache? {
        lane.cache.map { cache in
            let now = cache.statistics
            return .init(
                hits: now.hits, misses: now.misses, entries: now.entries, bytes: now.bytes, evictions: now.evictions,
                isOff: now.isOff)
        }
    }

    private func keyUse() async -> [StatsResponse.Key] {
        let today = UTCDay(unixSeconds: keys.clock.unixSeconds())
        guard let records = try? await database.keys.all(), let usage = try? await database.keys.usage(since: today)
        else { return [] }
        var spent: [Int64: KeyUsage] = [:]
        for (place, count) in usage { spent[place.key, default: KeyUsage()].add(count) }
        return records.filter { $0.revokedAt == nil }.map { record in
            let usage = spent[record.id] ?? KeyUsage()
            return .init(
                id: record.id, name: record.name, requests: usage.requests, refused: usage.refused,
                tokens: usage.tokens, lastUsedAt: record.lastUsedAt)
        }
    }

    private func indexState() async -> StatsResponse.Index? {
        guard let live = await retrieval.follower.present else { return nil }
        let now = live.index.statistics
        return .init(
            notes: now.documents, embeddedNotes: now.vectors, vectors: now.rows,
            vectorBytes: now.matrixBytes + now.codeBytes, textBytes: now.textBytes, model: live.space?.space.model)
    }

    private var processState: StatsResponse.Process {
        let now = ProcessStatistics.current
        return .init(
            residentBytes: now.residentBytes, cpuSeconds: now.cpuSeconds, openFiles: now.openFiles,
            maxFiles: now.maxFiles)
    }
}
