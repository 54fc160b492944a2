import GatewayAPI

/// One message to a reader.
package enum RunFrame: Sendable, Hashable {
    /// An event, and the position after it.
    case event(RunEvent, end: RunPosition)
    /// Text from a byte offset on. The reader first cuts its text at that offset, then appends.
    case delta(String, from: Int, end: RunPosition)
    /// The complete state of the log, which replaces the reader's state.
    case snapshot(RunSnapshot)

    /// The position after the frame, used as its id.
    package var end: RunPosition {
        switch self {
        case .event(_, let end), .delta(_, _, let end): end
        case .snapshot(let snapshot): snapshot.end
        }
    }

    /// The frame as a server-sent event, with its blank line.
    ///
    /// A delta's data is `{"at": 100, "text": "…"}`, a snapshot's
    /// `{"text": "…", "events": [{"at": 0, "data": {…}, "event": "passages"}, …]}`.
    package var serverSentEvent: [UInt8] {
        var bytes = Array("id: \(end.text)\nevent: \(name)\ndata: ".utf8)
        switch self {
        case .event(let event, _): bytes += event.json
        case .delta(let text, let offset, _):
            bytes += "{\"at\":\(offset),\"text\":".utf8
            JSONBytes.append(text, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        case .snapshot(let snapshot): snapshot.append(to: &bytes)
        }
        return bytes + "\n\n".utf8
    }

    private var name: String {
        switch self {
        case .event(let event, _): event.kind.rawValue
        case .delta: "delta"
        case .snapshot: "snapshot"
        }
    }
}

/// The complete contents of a log, for a reader with an unknown position.
package struct RunSnapshot: Sendable, Hashable {
    /// The whole text.
    package let text: String
    /// The kept events, oldest first, each with the number of text bytes before it.
    package let events: [Placed]
    /// The position after the snapshot.
    package let end: RunPosition

    /// An event and its position in the text.
    package struct Placed: Sendable, Hashable {
        /// UTF-8 bytes of text before the event.
        package let offset: Int
        package let event: RunEvent

        /// Places an event.
        package init(offset: Int, event: RunEvent) {
            self.offset = offset
            self.event = event
        }
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        bytes += "{\"text\":".utf8
        JSONBytes.append(text, to: &bytes)
        bytes += ",\"events\":[".utf8
        for (index, placed) in events.enumerated() {
            bytes += "\(index > 0 ? "," : ""){\"at\":\(placed.offset),\"data\":".utf8
            bytes += placed.event.json
            bytes += ",\"event\":\"\(placed.event.kind.rawValue)\"}".utf8
        }
        bytes += "]}".utf8
    }
}
