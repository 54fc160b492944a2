import Synchronization

/// Metrics of one name with different labels. Their number is limited: further combinations of labels count together as
/// `other`, so that no client can make a scrape grow.
package final class MetricsFamily<Metric: Sendable>: Sendable {
    /// The largest number of label combinations.
    package static var limit: Int { 256 }

    package let name: String
    package let help: String
    let labelNames: [String]
    private let make: @Sendable () -> Metric
    private let metrics = Mutex<[[String]: Metric]>([:])

    init(_ name: String, labels: [String], _ help: String, make: @escaping @Sendable () -> Metric) {
        self.name = name
        self.help = help
        self.labelNames = labels
        self.make = make
    }

    /// The metric with these label values, in the order of the label names.
    package subscript(_ values: String...) -> Metric {
        metrics.withLock { metrics in
            if let metric = metrics[values] { return metric }
            let values = metrics.count < Self.limit ? values : values.map { _ in "other" }
            if let metric = metrics[values] { return metric }
            let metric = make()
            metrics[values] = metric
            return metric
        }
    }

    /// Every metric with its labels, sorted by label values.
    package var all: [(labels: [PrometheusText.Label], metric: Metric)] {
        let metrics = metrics.withLock { $0 }
        return metrics.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { values, metric in
            (zip(labelNames, values).map { ($0, $1) }, metric)
        }
    }
}

extension MetricsFamily where Metric == MetricsCounter {
    /// A family of counters.
    package convenience init(_ name: String, labels: [String], _ help: String) {
        self.init(name, labels: labels, help) { MetricsCounter() }
    }

    /// Writes all counters.
    package func write(to text: inout PrometheusText) {
        text.family(name, .counter, help)
        for (labels, counter) in all { text.sample(name, labels, counter.value) }
    }
}

extension MetricsFamily where Metric == MetricsHistogram {
    /// A family of histograms.
    convenience init(_ name: String, labels: [String], _ help: String) {
        self.init(name, labels: labels, help) { MetricsHistogram() }
    }

    /// Writes all histograms.
    package func write(to text: inout PrometheusText) {
        text.family(name, .histogram, help)
        for (labels, histogram) in all { text.histogram(name, labels, histogram.snapshot) }
    }
}
