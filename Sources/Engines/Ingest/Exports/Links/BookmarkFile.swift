import Documents

/// Reads the bookmarks that browsers export: Netscape's file of them, which is HTML.
///
/// A note for each address. The names of its folders are tags; an address in several folders is one note.
struct BookmarkFile: ItemReader {
    private var results: ArraySlice<Result<IngestedNote, IngestProblem>>
    private let size: Int
    var bytesRead: Int { size }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        size = file.size
        let text = FileText(try file.whole(ExportLimits.mostTreeBytes))
        guard let tree = MarkupParser.html(Array(text.text.utf8)), let root = tree.root else {
            throw file.problem("is no file of bookmarks")
        }
        let bookmarks = Self.bookmarks(tree, root)
        guard !bookmarks.isEmpty else { throw file.problem("has no bookmarks; export them again as HTML") }
        // Browsers close each of their lists.
        let lower = text.text.lowercased()
        let isCut = lower.ranges(of: "<dl").count > lower.ranges(of: "</dl>").count
        results =
            bookmarks.enumerated().map { number, bookmark in
                var note = bookmark.note()
                if isCut, number == bookmarks.count - 1 {
                    note.warnings.append("the file ends within its list; export it again")
                }
                note.location = "\(file.location):\(number + 1)"
                note.modifiedAt = file.modifiedAt
                note.warnings += text.warnings
                return .success(note)
            }[...]
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { results.popFirst() }

    private static func bookmarks(_ tree: MarkupTree, _ root: Int) -> [Bookmark] {
        var (bookmarks, places): ([Bookmark], [String: Int]) = ([], [:])
        var (folders, next, last): ([String?], String?, Int?) = ([], nil, nil)
        tree.walk(root) { step in
            switch step {
            case .enter(let index):
                let node = tree[index]
                switch node.name {
                case "dl":
                    folders.append(next)
                    next = nil
                case "h3": next = tree.line(index)
                case "a":
                    guard let link = node["href"], !link.isEmpty else { return false }
                    let place = places[link] ?? bookmarks.count
                    if place == bookmarks.count {
                        places[link] = place
                        bookmarks.append(Bookmark(link: link, title: tree.line(index), added: node["add_date"]))
                    }
                    let own = (node["tags"] ?? "").split(separator: ",").map(String.init)
                    bookmarks[place].add(tags: folders.suffix(Bookmark.mostTags).compactMap(\.self) + own)
                    last = place
                    return false
                // Behind a bookmark, what its reader wrote about it.
                case "dd":
                    if let last { bookmarks[last].add(description: Self.description(tree, index)) }
                    last = nil
                default: break
                }
            case .exit(let index): if tree[index].name == "dl" { _ = folders.popLast() }
            }
            return true
        }
        return bookmarks
    }

    /// The text of a description, without the lists that a parser finds in it: its end tag is never written.
    private static func description(_ tree: MarkupTree, _ start: Int) -> String {
        var text = ""
        tree.walk(start) { step in
            guard case .enter(let index) = step else { return true }
            if tree[index].isText { text += tree[index].text }
            return !["dl", "dt", "h3", "a"].contains(tree[index].name)
        }
        return text.trimming(\.isWhitespace)
    }

    static func reads(_ name: String) -> Bool { ["html", "htm"].contains(Ending.of(name)) }

    static func recognizes(_ source: IngestSource) -> Bool {
        guard let file = source.file, reads(file.name) else { return false }
        return String(decoding: file.start(256), as: UTF8.self).uppercased().contains("NETSCAPE-BOOKMARK-FILE")
    }
}
