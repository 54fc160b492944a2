package import GatewayAPI

/// Something that the readers of a run get beside its text.
package struct RunEvent: Sendable, Hashable {
    /// What an event says; the raw value is the name of the server-sent event.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The phase of the run. Only the latest one is kept.
        case state
        /// A query that is searched for.
        case search
        /// The passages that the answer may cite.
        case passages
        /// A call of a tool, or its result.
        case tool
        /// What a citation is worth.
        case citation
        /// Tokens and times.
        case usage
        /// The run has ended; the last event.
        case done
        /// The run has failed; the last event.
        case failed

        /// Whether nothing follows.
        package var isLast: Bool { self == .done || self == .failed }
    }

    /// What it says.
    package let kind: Kind
    /// Its data as JSON on one line, encoded once for all readers.
    package let json: [UInt8]

    /// Encodes an event.
    package init(_ kind: Kind, _ data: JSONValue) {
        self.kind = kind
        json = data.json
    }
}
