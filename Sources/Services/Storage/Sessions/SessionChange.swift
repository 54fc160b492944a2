public import GatewayAPI

/// What a session becomes; nil and ``FieldUpdate/keep`` leave what is there.
public struct SessionChange: Sendable, Hashable {
    /// A new title; a new session needs it.
    public var title: String?
    /// When it began, in seconds since 1970; a new session began now when nil.
    public var createdAt: Int64?
    /// When it last changed, in seconds since 1970; now when nil.
    public var updatedAt: Int64?
    /// How many messages it has; counted in the text when nil.
    public var messageCount: Int?
    /// Whether it stays on top of lists.
    public var isPinned: Bool?
    /// How its messages are kept.
    public var compressionState: String?
    /// When it was compressed, in seconds since 1970.
    public var compressedAt: FieldUpdate<Int64> = .keep
    /// Its messages, the text of a JSON array.
    public var messagesJSON: FieldUpdate<String> = .keep
    /// What was said.
    public var summaryText: FieldUpdate<String> = .keep

    /// Creates a change of nothing.
    public init() {}
}
