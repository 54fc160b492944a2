/// Marks in a text where a page of the printed edition begins.
enum PageBreak {
    static func isOne(_ node: MarkupTree.Node) -> Bool {
        guard !node.attributes.isEmpty else { return false }
        return node.words("epub:type").contains("pagebreak") || node.words("role").contains("doc-pagebreak")
    }

    /// The printed number or name of the page that begins; nil when the mark does not say it.
    ///
    /// - Parameter text: The text of the mark.
    static func label(_ node: MarkupTree.Node, _ text: String) -> String? {
        [node["title"], node["aria-label"], text, node["value"]].lazy.compactMap { $0.flatMap(normalized) }.first
    }

    /// A label without the word for page, such as "12" for "Page 12.".
    static func normalized(_ text: String) -> String? {
        var label = CanonicalText.line(text)[...]
        for word in ["page", "pg.", "pg", "p.", "seite", "s."] where label.lowercased().hasPrefix(word) {
            let rest = label.dropFirst(word.count).drop { $0 == " " || $0 == "\u{A0}" }
            if rest.first?.isNumber == true { label = rest }
            break
        }
        while let last = label.last, ".: ".contains(last) { label = label.dropLast() }
        return label.isEmpty || label.utf8.count > 40 ? nil : String(label)
    }
}
