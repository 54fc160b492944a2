public import GatewayAPI

/// Changes to a session; nil and ``FieldUpdate/keep`` leave a field as it is.
public struct SessionChange: Sendable, Hashable {
    /// The new title; required for a new session.
    public var title: String?
    /// Creation time in seconds since 1970; a new session gets the current time when nil.
    public var createdAt: Int64?
    /// Time of the last change in seconds since 1970; now when nil.
    public var updatedAt: Int64?
    /// Number of messages; counted in ``messagesJSON`` when nil.
    public var messageCount: Int?
    /// Whether the session is pinned to the top of lists.
    public var isPinned: Bool?
    /// The compression state of its messages; a new session is `full`.
    public var compressionState: String?
    /// Time of the compression in seconds since 1970.
    public var compressedAt: FieldUpdate<Int64> = .keep
    /// The messages as the text of a JSON array.
    public var messagesJSON: FieldUpdate<String> = .keep
    /// A summary of the messages.
    public var summaryText: FieldUpdate<String> = .keep

    /// Creates an empty change.
    public init() {}
}
