import Text

/// A note whose vectors are missing or stale.
package struct PendingNote: Sendable, Hashable {
    package var id: Int64
    /// The title; may be empty.
    package var title: String
    /// The content; may be empty.
    package var content: String
    /// The hash of ``text``, 32 bytes.
    package var contentHash: [UInt8]

    package init(id: Int64, title: String, content: String, contentHash: [UInt8]) {
        self.id = id
        self.title = title
        self.content = content
        self.contentHash = contentHash
    }

    /// The text that a model embeds, without the model's prefix.
    package var text: String { EmbeddedText.of(title: title, content: content) }
}
