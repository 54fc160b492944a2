package import Inference
package import Server

/// The metrics of models: places, embedding calls, upstreams.
package struct LLMMetrics: Sendable {
    let admission: Admission
    let lane: EmbeddingLane
    let pool: EndpointPool
    let probe: UpstreamProbe

    package init(admission: Admission, lane: EmbeddingLane, pool: EndpointPool, probe: UpstreamProbe) {
        self.admission = admission
        self.lane = lane
        self.pool = pool
        self.probe = probe
    }

    /// Writes all metrics of this feature.
    package func write(to text: inout PrometheusText) async {
        writeAdmission(to: &text)
        writeLane(to: &text)
        await writeUpstream(to: &text)
    }

    private func writeAdmission(to text: inout PrometheusText) {
        let now = admission.snapshot
        text.family("selene_queue_wait_seconds", .histogram, "How long requests waited for a place at Ollama.")
        text.histogram(
            "selene_queue_wait_seconds", [], bounds: WaitHistogram.bounds, counts: now.statistics.waits.counts,
            sum: now.statistics.waits.sum)
        text.single("selene_admission_in_flight", .gauge, "Requests that Ollama is working on.", now.inFlight)
        text.single(
            "selene_admission_limit", .gauge, "Requests that Ollama may have at once.", admission.limits.maxInFlight)
        let families: [(String, PrometheusText.Kind, String, [AdmissionPriority: Int])] = [
            ("selene_admission_waiting", .gauge, "Requests that wait for a place.", now.waiting),
            ("selene_admission_granted_total", .counter, "Requests that got a place.", now.statistics.granted),
            ("selene_admission_refused_total", .counter, "Requests refused.", now.statistics.refused),
            (
                "selene_admission_cancelled_total", .counter, "Requests cancelled while they waited.",
                now.statistics.cancelled
            ),
        ]
        for (name, kind, help, values) in families {
            text.family(name, kind, help)
            for priority in AdmissionPriority.allCases {
                text.sample(name, [("priority", priority.name)], values[priority] ?? 0)
            }
        }
    }

    private func writeLane(to text: inout PrometheusText) {
        let now = lane.statistics
        text.single("selene_embedding_calls_in_flight", .gauge, "Embedding calls in progress.", now.inFlight)
        text.single("selene_embedding_calls_total", .counter, "Embedding calls to Ollama.", now.calls)
        text.single("selene_embedding_inputs_total", .counter, "Texts in those calls.", now.inputs)
        text.single(
            "selene_embedding_shared_total", .counter, "Texts answered by another request's call.", now.shared)
        text.single("selene_embedding_refused_total", .counter, "Texts that the model refused.", now.refused)
        text.single("selene_embedding_aborted_total", .counter, "Calls aborted after all callers left.", now.aborted)
        guard let cache = lane.cache?.statistics else { return }
        text.single("selene_embedding_cache_hits_total", .counter, "Texts whose vector was cached.", cache.hits)
        text.single("selene_embedding_cache_misses_total", .counter, "Texts whose vector was not cached.", cache.misses)
        text.single(
            "selene_embedding_cache_evictions_total", .counter, "Vectors evicted from the cache.", cache.evictions)
        text.single(
            "selene_embedding_cache_dropped_total", .counter, "Vectors not cached: full write queue.", cache.dropped)
        text.single("selene_embedding_cache_entries", .gauge, "Vectors in the cache.", cache.entries)
        text.single("selene_embedding_cache_bytes", .gauge, "Bytes of vectors in the cache.", cache.bytes)
        text.single(
            "selene_embedding_cache_off", .gauge, "1 when the cache's file failed and only memory serves.",
            cache.isOff ? 1 : 0)
    }

    private func writeUpstream(to text: inout PrometheusText) async {
        let health = await probe.latest()
        text.single(
            "selene_upstream_up", .gauge, "Whether Ollama, or one of several, answered a moment ago.",
            health.available ? 1 : 0)
        text.single(
            "selene_upstream_latency_seconds", .gauge, "Latency of the last health check.", health.latency.seconds)
        text.family("selene_upstream_in_order", .gauge, "Whether requests go to an upstream.")
        let endpoints = pool.endpoints.map(\.status)
        for endpoint in endpoints {
            text.sample("selene_upstream_in_order", [("upstream", endpoint.name)], endpoint.isHealthy ? 1 : 0)
        }
        text.family("selene_upstream_requests_in_flight", .gauge, "Requests that an upstream has, of every kind.")
        for endpoint in endpoints {
            text.sample("selene_upstream_requests_in_flight", [("upstream", endpoint.name)], endpoint.inFlight)
        }
    }
}
