package import GatewayAPI

/// Changes to a session; nil and ``FieldUpdate/keep`` leave a field as it is.
package struct SessionChange: Sendable, Hashable {
    /// The new title; required for a new session.
    package var title: String?
    /// Creation time in seconds since 1970; a new session gets the current time when nil.
    package var createdAt: Int64?
    /// Time of the last change in seconds since 1970; now when nil.
    package var updatedAt: Int64?
    /// Number of messages; counted in ``messagesJSON`` when nil.
    package var messageCount: Int?
    /// Whether the session is pinned to the top of lists.
    package var isPinned: Bool?
    /// The compression state of its messages; a new session is `full`.
    package var compressionState: String?
    /// Time of the compression in seconds since 1970.
    package var compressedAt: FieldUpdate<Int64> = .keep
    /// The messages as the text of a JSON array.
    package var messagesJSON: FieldUpdate<String> = .keep
    /// A summary of the messages.
    package var summaryText: FieldUpdate<String> = .keep

    /// Creates an empty change.
    package init() {}
}
