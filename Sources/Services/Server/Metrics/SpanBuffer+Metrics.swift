package import Telemetry

extension SpanBuffer {
    /// Writes what became of spans.
    package func write(to text: inout PrometheusText) {
        let counts = counts
        text.single("selene_spans_sent_total", .counter, "Spans that the collector of traces took.", counts.sent)
        text.single(
            "selene_spans_dropped_total", .counter,
            "Spans dropped because too many waited or the collector refused them.",
            counts.dropped)
        text.single("selene_spans_waiting", .gauge, "Spans that wait to be sent.", count)
    }
}
