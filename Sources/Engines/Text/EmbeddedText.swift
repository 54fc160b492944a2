/// The text of a note that a model embeds.
package enum EmbeddedText {
    /// The title, a line end, the content; the content alone when there is no title.
    package static func of(title: String, content: String) -> String {
        title.isEmpty ? content : title + "\n" + content
    }
}
