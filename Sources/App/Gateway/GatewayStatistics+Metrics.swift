import Access
import GatewayAPI
import Machine
import Search
import Server

/// Metrics that are sampled at each scrape.
extension GatewayStatistics {
    /// Registers the server's own metrics; features register theirs separately.
    func register(in registry: MetricsRegistry) {
        registry.add { text in
            text.family("selene_build_info", .gauge, "The running version.")
            text.sample("selene_build_info", [("version", GatewayVersion.current)], 1)
            text.single(
                "selene_uptime_seconds", .gauge, "Seconds since the gateway started.",
                startedAt.duration(to: .now).seconds)
        }
        registry.add { text in metrics.write(to: &text) }
        registry.add { text in ProcessStatistics.current.write(to: &text, maxConnections: connections.limit) }
        registry.add { text in bodies.write(to: &text) }
        registry.add { text in writeFrontDoor(to: &text) }
        registry.add { text in
            text.single(
                "selene_log_lines_dropped_total", .counter, "Log lines dropped because the log reader was too slow.",
                droppedLogLines())
        }
    }

    private func writeFrontDoor(to text: inout PrometheusText) {
        text.single(
            "selene_connections_shed_total", .counter,
            "Idle connections without a valid key that were closed to make room.", connections.shed.value)
        keys.write(to: &text)
        keys.scans.write("scan", to: &text)
        search.searches.write("search", to: &text)
    }
}
