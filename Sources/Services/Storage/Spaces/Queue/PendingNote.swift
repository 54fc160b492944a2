import Text

/// A note whose vectors are missing or stale.
public struct PendingNote: Sendable, Hashable {
    /// The note's id.
    public var id: Int64
    /// The title; may be empty.
    public var title: String
    /// The content; may be empty.
    public var content: String
    /// The hash of ``text``, 32 bytes.
    public var contentHash: [UInt8]

    /// Creates a pending note.
    public init(id: Int64, title: String, content: String, contentHash: [UInt8]) {
        self.id = id
        self.title = title
        self.content = content
        self.contentHash = contentHash
    }

    /// The text that a model embeds, without the model's prefix.
    public var text: String { EmbeddedText.of(title: title, content: content) }
}
