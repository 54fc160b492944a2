/// Builds the text of a note that a model embeds.
package enum EmbeddedText {
    /// Joins the title, a line end and the content; returns the content alone when there is no title.
    package static func of(title: String, content: String) -> String {
        title.isEmpty ? content : title + "\n" + content
    }
}
