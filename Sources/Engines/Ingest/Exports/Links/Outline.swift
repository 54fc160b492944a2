import Documents

/// An outline at the top of an OPML file, with all below it.
struct Outline {
    private let tree: MarkupTree
    private let start: Int

    /// Levels by which an item is indented at most. Deeper ones stay in the list.
    private static let mostLevels = 40

    init(_ tree: MarkupTree, _ start: Int) {
        self.tree = tree
        self.start = start
    }

    /// The note of the outline, unless it holds feeds alone; then the notes of the feeds.
    func notes() -> [IngestedNote] {
        var (lines, feeds, above): ([String], [IngestedNote], [String]) = ([], [], [])
        var hasOwn = false
        tree.walk(start) { step in
            switch step {
            case .enter(let index):
                guard !tree[index].isText else { return true }
                if let link = field("xmlUrl", index) {
                    feeds.append(feed(link, index, tags: above))
                } else {
                    let text = text(index)
                    if above.isEmpty {
                        lines += remark(index).map { [$0] } ?? []
                    } else if !text.isEmpty || remark(index) != nil {
                        let indent = String(repeating: "  ", count: min(above.count - 1, Self.mostLevels))
                        lines.append("\(indent)- \(text)")
                        lines += remark(index).map { [indent + "  " + $0.replacing("\n", with: "\n\(indent)  ")] } ?? []
                    }
                    hasOwn = hasOwn || tree.children(index).isEmpty || remark(index) != nil
                }
                above.append(text(index))
            case .exit(let index): if !tree[index].isText { _ = above.popLast() }
            }
            return true
        }
        let title = text(start)
        guard hasOwn || feeds.isEmpty, !(title + lines.joined()).isEmpty else { return feeds }
        var note = IngestedNote(
            title: title.isEmpty ? NoteTitle.first(of: lines.joined(separator: "\n")) : title,
            content: lines.joined(separator: "\n"))
        note.createdAt = field("created", start).flatMap(DatedLine.read)
        // Outlines have no ids. Their first line is what stays the longest.
        note.externalID = ItemName.of([title.isEmpty ? note.content : title], from: .opml)
        return [note] + feeds
    }

    private func feed(_ link: String, _ index: Int, tags: [String]) -> IngestedNote {
        let links = [link, field("htmlUrl", index)].compactMap(\.self)
        let title = text(index)
        var note = IngestedNote(
            title: title.isEmpty ? NoteTitle.line(link) : title,
            content: (links + [remark(index), field("description", index)].compactMap(\.self)).joined(separator: "\n"),
            tags: TagWords.distinct(tags.prefix(Bookmark.mostTags).compactMap { TagWords.clean($0) }))
        note.externalID = ItemName.of(link, from: .opml)
        return note
    }

    private func text(_ index: Int) -> String { NoteTitle.line(field("text", index) ?? field("title", index) ?? "") }

    /// What outliners keep below an item.
    private func remark(_ index: Int) -> String? { field("_note", index) }

    private func field(_ name: String, _ index: Int) -> String? {
        tree[index][name].map { $0.trimming(\.isWhitespace) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
