package import GatewayAPI

/// An event that a run's readers get, beside the text.
package struct RunEvent: Sendable, Hashable {
    /// The type of an event; the raw value is the name of the server-sent event.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The phase of the run. The log keeps only the latest one.
        case state
        /// A query of the search.
        case search
        /// The passages that the answer may cite.
        case passages
        /// A call of a tool, or its result.
        case tool
        /// The verdict on a citation.
        case citation
        /// Tokens and times.
        case usage
        /// The run has ended; the last event.
        case done
        /// The run has failed; the last event.
        case failed

        /// Whether no event or text follows.
        package var isLast: Bool { self == .done || self == .failed }
    }

    /// The type of the event.
    package let kind: Kind
    /// The data as JSON on one line, encoded once for all readers.
    package let json: [UInt8]

    /// Encodes an event.
    package init(_ kind: Kind, _ data: JSONValue) {
        self.kind = kind
        json = data.json
    }

    /// Creates an event from JSON without line breaks.
    package init(_ kind: Kind, json: [UInt8]) {
        self.kind = kind
        self.json = json
    }
}
