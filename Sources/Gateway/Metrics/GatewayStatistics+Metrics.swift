import Retrieval
import Storage
import Upstream

/// The figures that are read, not counted, as metrics.
extension GatewayStatistics {
    /// Adds everything that a scrape shows. A part that comes later is one line more.
    func register(in registry: MetricsRegistry) {
        registry.add { text in
            text.family("selene_build_info", .gauge, "The version that runs.")
            text.sample("selene_build_info", [("version", GatewayVersion.current)], 1)
            text.single(
                "selene_uptime_seconds", .gauge, "Seconds since the gateway was started.",
                startedAt.duration(to: .now).seconds)
        }
        registry.add { text in metrics.write(to: &text) }
        registry.add { text in writeAdmission(to: &text) }
        registry.add { text in writeLane(to: &text) }
        registry.add { text in await writeUpstream(to: &text) }
        registry.add { text in await writeIndex(to: &text) }
        registry.add { text in writeProcess(to: &text) }
        registry.add { text in writeBodies(to: &text) }
        registry.add { text in writeFrontDoor(to: &text) }
        registry.add { text in
            text.single(
                "selene_log_lines_dropped_total", .counter, "Lines of the log that nobody took in time.",
                droppedLogLines())
        }
    }

    private func writeAdmission(to text: inout PrometheusText) {
        let now = admission.snapshot
        text.family("selene_queue_wait_seconds", .histogram, "How long requests waited for a place at Ollama.")
        text.histogram(
            "selene_queue_wait_seconds", [], bounds: WaitHistogram.bounds, counts: now.statistics.waits.counts,
            sum: now.statistics.waits.sum)
        text.single("selene_admission_in_flight", .gauge, "Requests that Ollama has.", now.inFlight)
        text.single(
            "selene_admission_limit", .gauge, "Requests that Ollama may have at once.", admission.limits.maxInFlight)
        let families: [(String, PrometheusText.Kind, String, [AdmissionPriority: Int])] = [
            ("selene_admission_waiting", .gauge, "Requests that wait for a place.", now.waiting),
            ("selene_admission_granted_total", .counter, "Requests that got a place.", now.statistics.granted),
            ("selene_admission_refused_total", .counter, "Requests turned away.", now.statistics.refused),
            (
                "selene_admission_cancelled_total", .counter, "Requests that left while they waited.",
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
        text.single("selene_embedding_calls_in_flight", .gauge, "Embedding calls that have not ended.", now.inFlight)
        text.single("selene_embedding_calls_total", .counter, "Embedding calls to Ollama.", now.calls)
        text.single("selene_embedding_inputs_total", .counter, "Texts in those calls.", now.inputs)
        text.single(
            "selene_embedding_shared_total", .counter, "Texts answered by another request's call.", now.shared)
        text.single("selene_embedding_refused_total", .counter, "Texts that the model refused.", now.refused)
        text.single("selene_embedding_aborted_total", .counter, "Calls that nobody waited for any more.", now.aborted)
        guard let cache = lane.cache?.statistics else { return }
        text.single("selene_embedding_cache_hits_total", .counter, "Texts whose vector was there.", cache.hits)
        text.single("selene_embedding_cache_misses_total", .counter, "Texts whose vector was not.", cache.misses)
        text.single(
            "selene_embedding_cache_evictions_total", .counter, "Vectors that made room for others.", cache.evictions)
        text.single(
            "selene_embedding_cache_dropped_total", .counter, "Vectors not kept, for too many waited.", cache.dropped)
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
            "selene_upstream_latency_seconds", .gauge, "How long that answer took.", health.latency.seconds)
        text.family("selene_upstream_in_order", .gauge, "Whether requests go to an upstream.")
        let endpoints = pool.endpoints.map(\.status)
        for endpoint in endpoints {
            text.sample("selene_upstream_in_order", [("upstream", endpoint.name)], endpoint.isInOrder ? 1 : 0)
        }
        text.family("selene_upstream_requests_in_flight", .gauge, "Requests that an upstream has, of every kind.")
        for endpoint in endpoints {
            text.sample("selene_upstream_requests_in_flight", [("upstream", endpoint.name)], endpoint.inFlight)
        }
    }

    private func writeIndex(to text: inout PrometheusText) async {
        guard let live = await retrieval.follower.present else { return }
        let now = live.index.statistics
        text.single("selene_index_notes", .gauge, "Notes in the index.", now.documents)
        text.single("selene_index_embedded_notes", .gauge, "Notes with a vector.", now.vectors)
        text.single("selene_index_vectors", .gauge, "Vectors, one for each passage.", now.rows)
        text.family("selene_index_bytes", .gauge, "Bytes of the index, by part.")
        for (part, bytes) in [("vectors", now.matrixBytes), ("codes", now.codeBytes), ("text", now.textBytes)] {
            text.sample("selene_index_bytes", [("part", part)], bytes)
        }
    }

    private func writeBodies(to text: inout PrometheusText) {
        text.single(
            "selene_body_bytes_in_memory", .gauge, "Bytes of request bodies in memory, all requests together.",
            bodies.memory.used)
        text.single(
            "selene_body_bytes_in_memory_limit", .gauge, "Bytes of request bodies that may be in memory.",
            bodies.memory.capacity)
        text.single(
            "selene_body_bytes_on_disk", .gauge, "Bytes of large request bodies that wait on disk.", bodies.spool.used)
        text.family("selene_bodies_refused_total", .counter, "Requests refused because other bodies had the room.")
        for (place, budget) in [("memory", bodies.memory), ("disk", bodies.spool)] {
            text.sample("selene_bodies_refused_total", [("place", place)], budget.refused.value)
        }
        text.single(
            "selene_slow_bodies_total", .counter, "Requests refused because their bodies came too slowly.",
            bodies.tooSlow.value)
    }

    private func writeFrontDoor(to text: inout PrometheusText) {
        text.single(
            "selene_connections_shed_total", .counter,
            "Idle connections without a valid key that were closed to make room.", connections.shed.value)
        text.single(
            "selene_wrong_keys_total", .counter, "Requests with a key that is none.", keys.wrongKeys.count.value)
        text.single(
            "selene_wrong_keys_refused_total", .counter, "Of those, requests that were answered with 429.",
            keys.wrongKeys.refused.value)
        for (kind, share) in [("scan", keys.scans), ("search", retrieval.searches)] {
            let load = share.load
            text.single("selene_\(kind)s_running", .gauge, "Reads of this kind that run: \(kind).", load.running)
            text.single("selene_\(kind)s_waiting", .gauge, "Reads of this kind that wait: \(kind).", load.waiting)
            text.single(
                "selene_\(kind)s_refused_total", .counter,
                "Reads of this kind that were refused, for too many of one client waited: \(kind).",
                share.refused.value)
        }
    }

    private func writeProcess(to text: inout PrometheusText) {
        let now = ProcessStatistics.current
        if let bytes = now.residentBytes {
            text.single("selene_process_resident_memory_bytes", .gauge, "Resident memory.", bytes)
        }
        text.single("selene_process_cpu_seconds_total", .counter, "User and system time.", now.cpuSeconds)
        if let files = now.openFiles {
            text.single("selene_process_open_fds", .gauge, "Descriptors that are open.", files)
        }
        text.single("selene_process_max_fds", .gauge, "Descriptors that may be open.", now.maxFiles)
        text.single("selene_connections_limit", .gauge, "Connections that may be open.", connections.limit)
    }
}
