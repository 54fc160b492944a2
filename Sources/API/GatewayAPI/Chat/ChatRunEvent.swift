/// An event of `GET /api/chat/runs/:id/events`.
///
/// As JSON it is `{"data": {…}, "event": "delta", "id": "120"}`.
public struct ChatRunEvent: Codable, Sendable, Hashable {
    /// The position after the event, for `Last-Event-ID`; nil within a snapshot.
    public var id: String?
    /// What the event says.
    public var content: Content

    /// What an event says, by its kind.
    public enum Content: Sendable, Hashable {
        /// The phase of the run.
        case state(Progress)
        case search(ChatSearch)
        /// Passages that the answer may cite, in addition to earlier ones.
        case passages([ChatPassage])
        /// A call of a tool; replaces the earlier event with its id.
        case tool(ChatToolUse)
        /// Text of the answer.
        case delta(Delta)
        /// Verdicts, in addition to earlier ones; see ``Verdicts``.
        case citation(Verdicts)
        /// The tokens so far.
        case usage(ChatTokens)
        /// Everything so far, in place of what the reader has.
        case snapshot(Snapshot)
        /// The run has ended: `done`, `stopped` or `interrupted`. The last event.
        case done(End)
        /// The run has failed. The last event.
        case failed(End)
    }

    /// The phase of a run.
    public struct Progress: Codable, Sendable, Hashable {
        /// The phase.
        public var state: ChatRun.State
        /// The progress by phase, 0 to 1.
        public var progress: Double
        /// The place in the queue, with `queued` and `waiting`; 1 is next.
        public var place: Int?
        /// The round of tools, with `tools`; from 1.
        public var round: Int?

        /// Creates progress.
        public init(state: ChatRun.State, progress: Double, place: Int? = nil, round: Int? = nil) {
            self.state = state
            self.progress = progress
            self.place = place
            self.round = round
        }
    }

    /// Text of the answer.
    public struct Delta: Codable, Sendable, Hashable {
        /// The UTF-8 byte of the answer at which the text begins. A reader cuts its text there, then appends.
        public var at: Int
        /// The text.
        public var text: String

        /// Creates a delta.
        public init(at: Int, text: String) {
            self.at = at
            self.text = text
        }
    }

    /// Verdicts on citations and sentences. A later verdict on the same bytes replaces an earlier one.
    public struct Verdicts: Codable, Sendable, Hashable {
        /// The new citations.
        public var citations: [ChatCitation]
        /// The new sentences.
        public var sentences: [ChatSentence]

        /// Creates verdicts.
        public init(citations: [ChatCitation], sentences: [ChatSentence]) {
            self.citations = citations
            self.sentences = sentences
        }
    }

    /// The end of a run.
    public struct End: Codable, Sendable, Hashable {
        /// The outcome.
        public var state: ChatRun.State
        /// Whether question and answer are stored.
        public var isStored: Bool
        /// The id of the answer's message.
        public var message: Int64?
        /// Why the run failed.
        public var error: String?
        /// Why the run was stopped: `asked`, `unread` or `length`.
        public var stopReason: String?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case state
            case isStored = "is_stored"
            case message, error
            case stopReason = "stop_reason"
        }

        /// Creates an end.
        public init(
            state: ChatRun.State, isStored: Bool, message: Int64? = nil, error: String? = nil, stopReason: String? = nil
        ) {
            self.state = state
            self.isStored = isStored
            self.message = message
            self.error = error
            self.stopReason = stopReason
        }
    }

    /// Everything that a run has so far.
    public struct Snapshot: Codable, Sendable, Hashable {
        /// The whole text.
        public var text: String
        /// The events, oldest first.
        public var events: [Placed]

        /// An event, and where it was.
        public struct Placed: Codable, Sendable, Hashable {
            /// UTF-8 bytes of text before the event.
            public var at: Int
            /// The event, without an id.
            public var event: ChatRunEvent

            /// Places an event.
            public init(at: Int, event: ChatRunEvent) {
                self.at = at
                self.event = event
            }

            private enum CodingKeys: String, CodingKey { case at }

            /// Decodes an event with its place.
            public init(from decoder: any Decoder) throws {
                at = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .at)
                event = try ChatRunEvent(from: decoder)
            }

            /// Encodes the place beside the event's members.
            public func encode(to encoder: any Encoder) throws {
                try event.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(at, forKey: .at)
            }
        }

        /// Creates a snapshot.
        public init(text: String, events: [Placed]) {
            self.text = text
            self.events = events
        }

        /// Decodes a snapshot; skips events that this version does not know.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            text = try container.decode(String.self, forKey: .text)
            events = try container.decodeIfPresent([Lenient].self, forKey: .events)?.compactMap(\.event) ?? []
        }

        private struct Lenient: Decodable {
            let event: Placed?
            init(from decoder: any Decoder) { event = try? Placed(from: decoder) }
        }
    }

    /// Creates an event.
    public init(id: String? = nil, _ content: Content) {
        self.id = id
        self.content = content
    }
}
