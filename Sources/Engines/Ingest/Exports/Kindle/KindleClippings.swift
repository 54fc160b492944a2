/// Reads `My Clippings.txt`, in which a Kindle keeps highlights, notes and bookmarks.
///
/// A note for each highlight and for each note that belongs to none; a bookmark has no text and is listed as empty.
struct KindleClippings: ItemReader {
    private let file: IngestFile
    private var results: ArraySlice<Result<IngestedNote, IngestProblem>>
    var bytesRead: Int { file.size }

    /// The most bytes of a file, all clippings of which are in memory. Those of decades have 5 MB.
    private static let mostBytes = 16 << 20

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        let text = FileText(try file.whole(Self.mostBytes))
        var books: [String: [KindleClipping]] = [:]
        var found: [(line: Int, result: Result<IngestedNote, IngestProblem>)] = []
        var entries = KindleText(text.text)
        while let entry = entries.next() {
            switch entry {
            case .clipping(let clipping) where clipping.text.isEmpty:
                let reason = clipping.metadata.kind == .bookmark ? "is a bookmark, which has no text" : "has no text"
                found.append((clipping.line, .failure(Self.problem(file, clipping.line, reason, isEmpty: true))))
            case .clipping(let clipping): books[clipping.bookLine, default: []].append(clipping)
            case .text(let text, let line, let isCut): found.append((line, Self.other(text, line, isCut, file)))
            }
        }
        for clippings in books.values {
            for group in KindleBook.groups(clippings) {
                found.append((group.first.line, .success(Self.note(group, file, text.warnings))))
            }
        }
        results = found.sorted { $0.line < $1.line }.map(\.result)[...]
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { results.popFirst() }

    private static func note(_ group: KindleBook.Group, _ file: IngestFile, _ warnings: [String]) -> IngestedNote {
        let (clipping, metadata) = (group.longest, group.longest.metadata)
        let isNote = metadata.kind == .note
        var highlight = BookHighlight(book: clipping.book, author: clipping.author, place: metadata.place)
        highlight.quote = isNote ? "" : clipping.text
        highlight.notes = isNote ? [clipping.text] : group.notes
        if metadata.page != nil, let location = metadata.location { highlight.details.append("location \(location)") }
        if metadata.kind == .other { highlight.details.append(metadata.text) }
        let date = group.first.metadata.date ?? metadata.date
        if date == nil, metadata.kind != .other, let text = metadata.dateText { highlight.details.append(text) }
        var note = highlight.note()
        note.createdAt = date
        note.externalID = ItemName.of(parts(of: group.first, isNote: isNote), from: .kindle)
        note.location = "\(file.location):\(group.first.line)"
        note.modifiedAt = file.modifiedAt
        note.warnings = warnings
        if group.repeats > 0 {
            note.warnings.append(
                group.repeats == 1
                    ? "another clipping at this place is a part of this one; the longest text is kept"
                    : "\(group.repeats) other clippings at this place are parts of this one; the longest text is kept")
        }
        if metadata.kind == .other { note.warnings.append("its kind is not known; its line is kept in the text") }
        if date == nil { note.warnings.append("its date was not understood; it is kept in the text") }
        if group.isCut { note.warnings.append("the file ends within this clipping") }
        return note
    }

    /// What the file never changes, since a Kindle only adds to it: the book, the kind, the place and the text of the first clipping.
    private static func parts(of clipping: KindleClipping, isNote: Bool) -> [String] {
        let place = clipping.metadata.location ?? clipping.metadata.page ?? ""
        return [clipping.bookLine, isNote ? "note" : "highlight", place, clipping.text]
    }

    /// Lines that are no clipping, as a note of their text.
    private static func other(
        _ text: String, _ line: Int, _ isCut: Bool, _ file: IngestFile
    ) -> Result<IngestedNote, IngestProblem> {
        if isCut, !text.contains("\n") {
            return .failure(problem(file, line, "the file ends within this clipping, which has no text yet"))
        }
        var note = IngestedNote(title: NoteTitle.first(of: text), content: text)
        note.externalID = ItemName.of(["text", text], from: .kindle)
        note.location = "\(file.location):\(line)"
        note.modifiedAt = file.modifiedAt
        note.warnings = ["is no clipping; kept as text"]
        return .success(note)
    }

    private static func problem(
        _ file: IngestFile, _ line: Int, _ reason: String, isEmpty: Bool = false
    ) -> IngestProblem {
        IngestProblem(location: "\(file.location):\(line)", reason: reason, isEmpty: isEmpty)
    }

    static func reads(_ name: String) -> Bool { Ending.of(name) == "txt" && name.lowercased().contains("clippings") }

    static func recognizes(_ source: IngestSource) -> Bool {
        guard !source.hasNotes, let name = source.names.first(where: reads) else {
            return false
        }
        var entries = KindleText(FileText(source.file(name).start()).text)
        if case .clipping = entries.next() { return true }
        return false
    }
}
