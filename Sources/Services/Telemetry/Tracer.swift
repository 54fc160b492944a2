import Synchronization

/// Begins the traces of requests and keeps their finished spans until they are sent.
package final class Tracer: Sendable {
    package let buffer: SpanBuffer
    private let sampler: TraceSampler

    package init(ratio: Double, buffer: SpanBuffer = SpanBuffer()) {
        self.buffer = buffer
        sampler = TraceSampler(ratio: ratio)
    }

    /// Begins the span of a request: in its caller's trace, or in a new one when the headers are missing or invalid.
    ///
    /// - Parameters:
    ///   - parents: The values of `traceparent`; more than one is invalid.
    ///   - states: The values of `tracestate`.
    package func begin(parents: [String], states: [String]) -> RequestSpan {
        var generator = SystemRandomNumberGenerator()
        let parent = parents.count == 1 ? parents.first.flatMap(TraceParent.init) : nil
        return RequestSpan(
            parent: parent, state: parent == nil ? nil : TraceState.joined(states), sampler: sampler, by: &generator)
    }

    /// Takes finished spans.
    package func record(_ spans: [TraceSpan]) { buffer.append(spans) }
}
