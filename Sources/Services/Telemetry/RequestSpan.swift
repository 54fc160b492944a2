package import Inference
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The trace of a request in flight: whose child it is, the ids of its spans, and what only spans tell of it.
package final class RequestSpan: Sendable {
    /// What is known of the request besides its outcome.
    package struct Details: Sendable {
        /// When the first request to a model's server went out; nil when none did.
        package var called: ContinuousClock.Instant?
        /// The last such call.
        package var call: OutgoingCall?
        /// The API that its server speaks, and the server's place.
        package var server: (provider: String, host: String, port: Int)? {
            call.map { ($0.provider, $0.upstream.host, $0.upstream.port) }
        }
        /// The model, where the outcome does not name it.
        package var model: String?
        /// Named parts of the work with their durations.
        package var stages: [(name: String, duration: Duration)] = []
        /// Whether the caller has a valid key.
        var isTrusted = false
        var hasEnded = false
    }

    package let trace: TraceID
    /// The id of the request's own span.
    package let id: SpanID
    /// The id of the span of the model's call.
    package let callID: SpanID
    /// What the caller's headers say.
    package let parent: TraceParent?
    package let state: String?
    private let sampler: TraceSampler
    private let details = Mutex(Details())
    private let begin = (clock: ContinuousClock.now, wall: Date.now.timeIntervalSince1970)

    init(parent: TraceParent?, state: String?, sampler: TraceSampler, by generator: inout some RandomNumberGenerator) {
        (self.parent, self.state, self.sampler) = (parent, state, sampler)
        trace = parent?.trace ?? TraceID.random(by: &generator)
        id = SpanID.random(by: &generator)
        callID = SpanID.random(by: &generator)
    }

    /// Records that the caller has a valid key.
    package func trust() { details.withLock { $0.isTrusted = true } }

    /// Whether the request is recorded. It may change until the caller is known.
    package var isRecorded: Bool {
        sampler.records(trace, parent: parent, isTrusted: details.withLock { $0.isTrusted })
    }

    /// Changes what is known.
    package func update(_ change: (inout Details) -> Void) { details.withLock { change(&$0) } }

    /// Ends the request and returns what is known of it.
    package func end() -> Details {
        details.withLock { details in
            details.hasEnded = true
            return details
        }
    }

    /// Nanoseconds since 1970 of a moment. Moments of one request keep their distances when the wall clock is set.
    package func nanoseconds(of instant: ContinuousClock.Instant) -> UInt64 {
        let seconds = begin.wall + (instant - begin.clock) / .seconds(1)
        // The limit is a year after 2200, so the product fits.
        return UInt64(min(max(0, seconds), 1e10) * 1_000_000) * 1000
    }

    /// The moment at which the request began.
    package var startedAt: ContinuousClock.Instant { begin.clock }

    // MARK: Headers of calls

    /// The headers that make a call a child of the model's span, or of the request's where that has none.
    ///
    /// - Returns: None for a request that is not recorded.
    package func headers(ofModelCall isModelCall: Bool) -> [(name: String, value: String)] {
        guard isRecorded else { return [] }
        let parent = TraceParent(trace: trace, span: isModelCall ? callID : id, isSampled: true)
        return [(Self.parentName, parent.header)] + (state.map { [(Self.stateName, $0)] } ?? [])
    }

    /// Records a call and returns its headers. A call after the request's end is a child of the request.
    package func calls(_ call: OutgoingCall, isModelCall: Bool) -> [(name: String, value: String)] {
        let hasEnded = details.withLock { details in
            if !details.hasEnded, isModelCall {
                details.called = details.called ?? .now
                details.call = call
            }
            return details.hasEnded
        }
        return headers(ofModelCall: isModelCall && !hasEnded)
    }

    /// Replaces the client's own headers by those of a call, when the request is recorded.
    package func replaceHeaders(in headers: inout [(name: String, value: String)], ofModelCall isModelCall: Bool) {
        let own = self.headers(ofModelCall: isModelCall)
        guard !own.isEmpty else { return }
        headers.removeAll { [Self.parentName, Self.stateName].contains($0.name.lowercased()) }
        headers += own
    }

    /// Runs the work of the request. Its calls of models' servers get the headers.
    ///
    /// - Parameter isModelCall: Whether such a call is the request's own; asked for each call.
    package func carry<Value>(
        isModelCall: @escaping @Sendable () -> Bool, _ work: () async throws -> Value
    ) async rethrows -> Value {
        try await OutgoingCall.$tracing.withValue({ self.calls($0, isModelCall: isModelCall()) }, operation: work)
    }

    package static let parentName = "traceparent"
    package static let stateName = "tracestate"
}
