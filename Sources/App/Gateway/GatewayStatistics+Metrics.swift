import Access
import Machine
import Search
import Server
import Storage

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
        registry.add { text in ProcessStatistics.current.write(to: &text, maxConnections: connections.limit) }
        registry.add { text in bodies.write(to: &text) }
        registry.add { text in writeFrontDoor(to: &text) }
        registry.add { text in
            text.single(
                "selene_log_lines_dropped_total", .counter, "Lines of the log that nobody took in time.",
                droppedLogLines())
        }
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
}
