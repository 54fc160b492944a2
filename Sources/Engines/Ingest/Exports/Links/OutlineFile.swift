import Documents

/// Reads an OPML file: the outlines of a writer, or the feeds of a reader.
///
/// Each outline at the top is a note with all below it as a list. A feed is a note of its own with its addresses, and the
/// outlines around it are its tags.
struct OutlineFile: ItemReader {
    private var results: ArraySlice<Result<IngestedNote, IngestProblem>>
    private let size: Int
    var bytesRead: Int { size }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        size = file.size
        let bytes = try file.whole(ExportLimits.mostTreeBytes)
        guard let tree = MarkupParser.xml(bytes, isLenient: true), let root = tree.root,
            let body = tree.child(root, "body")
        else { throw file.problem("is no outline in OPML; export it again") }
        let outlines = tree.children(body)
        let notes = outlines.flatMap { outline in
            // A damage ends the file for a parser.
            let isDamaged = tree.isDamaged && outline == outlines.last
            return Outline(tree, outline).notes().map { note in
                var note = note
                if isDamaged { note.warnings.append("the file is damaged here; what could be read of it is kept") }
                return note
            }
        }
        results =
            notes.enumerated().map { number, note in
                var note = note
                note.location = "\(file.location):\(number + 1)"
                note.modifiedAt = file.modifiedAt
                return .success(note)
            }[...]
        if notes.isEmpty { throw file.problem(tree.isDamaged ? "is damaged; export it again" : "has no outlines") }
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { results.popFirst() }

    static func reads(_ name: String) -> Bool { Ending.of(name) == "opml" }

    static func recognizes(_ source: IngestSource) -> Bool {
        !source.hasNotes && source.names.contains(where: reads)
    }
}
