import Testing

@testable import Telemetry

/// The spans that wait, and what one of them may hold.
@Suite struct SpansThatWait {
    @Test func `the buffer is bounded, and what has no room is counted`() {
        let buffer = SpanBuffer(capacity: 3)
        let spans = (0..<5).map { _ in SampleSpans.span() }
        buffer.append(Array(spans[0..<2]))
        buffer.append(Array(spans[2..<5]))
        #expect(buffer.count == 3 && buffer.counts.dropped == 2)
        let taken = buffer.take(upTo: 2)
        #expect(taken == Array(spans[0..<2]) && buffer.count == 1)
        buffer.append([spans[4]])
        buffer.putBack(taken)
        #expect(buffer.take(upTo: 9) == [spans[0], spans[2], spans[4]] && buffer.counts.dropped == 3)
        #expect(buffer.take(upTo: 9).isEmpty)
    }

    @Test func `long text is cut, and what is not known is left out`() {
        var span = SampleSpans.span(name: String(repeating: "é", count: 400))
        span.set("long", String(repeating: "x", count: 1000))
        span.set("none", nil as String?)
        span.set("false", false)
        span.set("seconds", Duration.milliseconds(1500))
        #expect(span.name.utf8.count <= TraceSpan.maxTextBytes)
        #expect(span["long"] == .text(String(repeating: "x", count: 256)) && span["seconds"] == .number(1.5))
        #expect(span.attributes.map(\.name) == ["long", "seconds"])
    }

    @Test func `a call after the request is a child of the request`() {
        let span = Tracer(ratio: 1).begin(parents: [], states: [])
        #expect(span.calls(SampleSpans.call, isModelCall: true)[0].value.contains("\(span.callID)"))
        #expect(span.calls(SampleSpans.call, isModelCall: false)[0].value.contains("\(span.id)"))
        let details = span.end()
        #expect(details.called != nil && details.server?.provider == "ollama" && details.server?.port == 11434)
        #expect(span.calls(SampleSpans.call, isModelCall: true)[0].value.contains("\(span.id)"))
    }
}
