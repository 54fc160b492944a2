/// A line of `GET /ntfy/{topic}/json`: a message, or what else happens to a reader.
public struct PushTopicEvent: Codable, Sendable, Hashable {
    /// The id; that of a message is the id of the notification.
    public var id: String
    /// When it happened, in seconds since 1970.
    public var time: Int64
    /// `open`, `keepalive`, `message` or `message_delete`.
    public var event: String
    /// The topic; of `open` and `keepalive` all topics, separated by commas.
    public var topic: String
    /// What an update or a removal has in common with its message.
    public var sequenceID: String?
    /// The text.
    public var message: String?
    /// The title.
    public var title: String?
    /// 1 to 5; nil for 3.
    public var priority: Int?
    /// The tags.
    public var tags: [String]?
    /// What a tap opens.
    public var click: String?

    enum CodingKeys: String, CodingKey {
        case id, time, event, topic, message, title, priority, tags, click
        case sequenceID = "sequence_id"
    }
}
