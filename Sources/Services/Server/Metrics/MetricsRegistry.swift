import Synchronization

/// Everything that a scrape shows: parts are added while the gateway is wired, and written in that order.
package final class MetricsRegistry: Sendable {
    /// Writes whole families.
    package typealias Source = @Sendable (inout PrometheusText) async -> Void

    private let sources = Mutex<[Source]>([])

    package init() {}

    /// Adds a part.
    package func add(_ source: @escaping Source) { sources.withLock { $0.append(source) } }

    /// All metrics as they are now.
    package func scrape() async -> String {
        var text = PrometheusText()
        for source in sources.withLock({ $0 }) { await source(&text) }
        return text.text
    }
}
