/// What the header `traceparent` of W3C's Trace Context says: the caller's trace, its span, and whether it is recorded.
package struct TraceParent: Sendable, Hashable {
    package let trace: TraceID
    package let span: SpanID
    package let isSampled: Bool

    package init(trace: TraceID, span: SpanID, isSampled: Bool) {
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// The bytes of version 00.
    private static let length = 55
    /// The longest header that is read; later versions may append fields.
    private static let longest = 512

    /// Reads a header.
    ///
    /// Of versions after 00 the known fields are read, and what follows them is not.
    /// - Returns: nil for an invalid header; a new trace begins then.
    package init?(_ header: String) {
        let bytes = Array(header.utf8)
        guard (Self.length...Self.longest).contains(bytes.count),
            let version = Hex.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.length || (version > 0 && bytes[Self.length] == UInt8(ascii: "-")),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let high = Hex.number(bytes[3..<19]), let low = Hex.number(bytes[19..<35]),
            let trace = TraceID(high: high, low: low),
            let span = Hex.number(bytes[36..<52]).flatMap(SpanID.init), let flags = Hex.number(bytes[53..<55])
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    /// The header in version 00.
    package var header: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }
}

/// The header `tracestate`, which belongs to other programs and is passed on as it is.
package enum TraceState {
    /// The most bytes that are passed on.
    package static let limit = 512

    /// Joins the values of the headers. Whole entries from the end are left out until the limit holds.
    ///
    /// - Returns: nil when nothing is left, and for text that no header may have.
    package static func joined(_ values: [String]) -> String? {
        var state = values.filter { !$0.isEmpty }.joined(separator: ",")
        guard state.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 }) else { return nil }
        while state.utf8.count > limit {
            guard let comma = state.utf8.lastIndex(of: UInt8(ascii: ",")) else { return nil }
            state = String(state[..<comma])
        }
        return state.isEmpty ? nil : state
    }
}
