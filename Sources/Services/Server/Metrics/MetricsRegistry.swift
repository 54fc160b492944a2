import Synchronization

/// Collects the metrics of a scrape: components are added at startup and written in that order.
package final class MetricsRegistry: Sendable {
    /// Writes whole families.
    package typealias Source = @Sendable (inout PrometheusText) async -> Void

    private let sources = Mutex<[Source]>([])

    package init() {}

    /// Adds a component.
    package func add(_ source: @escaping Source) { sources.withLock { $0.append(source) } }

    /// Returns the current metrics as text.
    package func scrape() async -> String {
        var text = PrometheusText()
        for source in sources.withLock({ $0 }) { await source(&text) }
        return text.text
    }
}
