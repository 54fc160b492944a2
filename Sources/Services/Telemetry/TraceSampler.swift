/// Decides which traces are recorded: as the caller decided, else a share of them by their id.
package struct TraceSampler: Sendable {
    /// The share of traces, 0 to 1.
    package let ratio: Double

    package init(ratio: Double) { self.ratio = ratio }

    /// Whether a trace is in the share.
    ///
    /// The SDKs of OpenTelemetry compare the same bits, so that they keep the same traces for the same share.
    package func keeps(_ trace: TraceID) -> Bool {
        guard ratio < 1 else { return true }
        // Below 1 the product fits, and whole numbers have no rounding near the bound.
        return ratio > 0 && trace.low >> 1 < UInt64(ratio * 0x1p63)
    }

    /// Whether a request is recorded.
    ///
    /// - Parameters:
    ///   - parent: What the caller's header says; nil without one.
    ///   - isTrusted: Whether the caller has a valid key. A stranger's decision does not count.
    package func records(_ trace: TraceID, parent: TraceParent?, isTrusted: Bool) -> Bool {
        if isTrusted, let parent { return parent.isSampled }
        return keeps(trace)
    }
}
