import Text

/// Reads the CSV file of highlights that Readwise exports. Its columns may be in any order.
struct ReadwiseHighlights: ItemReader {
    private let file: IngestFile
    private var records: CSVReader
    private var columns: [String]
    private let warnings: [String]
    private var number = 1
    private var isEnded = false
    private let bytes: Int
    private let endsWithLine: Bool
    var bytesRead: Int { min(file.size, records.bytesRead) }

    /// Columns of a file at most. Readwise writes about twelve.
    static let mostColumns = 100
    /// What a note has of a record, by the names of the columns in lower case.
    private static let known: Set<String> = [
        "highlight", "book title", "book author", "note", "tags", "document tags", "location", "location type",
        "highlighted at",
    ]

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        let text = FileText(try file.whole())
        warnings = text.warnings
        bytes = text.text.utf8.count
        endsWithLine = text.text.utf8.last == UInt8(ascii: "\n")
        records = CSVReader(Array(text.text.utf8), maxFields: Self.mostColumns, isOurs: false)
        columns = records.next()?.map(Self.column) ?? []
        guard columns.contains("highlight") else {
            throw file.problem("has no column \"Highlight\" in its first line; export the highlights of Readwise again")
        }
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        guard !isEnded, let record = records.next() else { return nil }
        number += 1
        isEnded = records.isCut || (!endsWithLine && records.bytesRead >= bytes)
        let location = "\(file.location):\(number)"
        var fields: [String: String] = [:]
        for (column, field) in zip(columns, record) where fields[column] == nil {
            fields[column] = field.trimming(\.isWhitespace)
        }
        func field(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard field("highlight") != nil || field("note") != nil else {
            return .failure(
                IngestProblem(location: location, reason: "has neither a highlight nor a note", isEmpty: true))
        }
        let kind = field("location type") ?? "location"
        // Articles have places of no meaning, all of them 0.
        let place = field("location").flatMap { $0 == "0" ? nil : "\(kind.lowercased()) \($0)" }
        var highlight = BookHighlight(
            book: field("book title") ?? "", author: field("book author"), place: place, quote: field("highlight") ?? ""
        )
        highlight.notes = field("note").map { [$0] } ?? []
        var note = highlight.note()
        if note.title.isEmpty { note.title = NoteTitle.first(of: highlight.quote + "\n" + (field("note") ?? "")) }
        note.tags = TagWords.distinct(["tags", "document tags"].flatMap { field($0).map(TagWords.split) ?? [] })
        note.location = location
        note.modifiedAt = file.modifiedAt
        note.warnings = warnings
        note.unreadFields = fields.filter { !Self.known.contains($0.key) && !$0.value.isEmpty }.keys.sorted()
        let date = field("highlighted at")
        if let date, let found = IngestedDate.read(date) {
            note.createdAt = found.text
            if found.isRead { note.warnings.append("its date \"\(date.prefix(60))\" was read as \(found.text)") }
        } else if let date {
            note.warnings.append("its date \"\(date.prefix(60))\" is not a date such as 2026-01-31")
        }
        if record.count > columns.count {
            note.warnings.append("has more fields than there are columns; they are kept in the text")
            note.content += "\n\n" + record.dropFirst(columns.count).joined(separator: "\n")
        }
        if isEnded { note.warnings.append("the file ends within this highlight, or without a line end behind it") }
        // The place and the time stay when the text is edited. Without a time, the text is the identity.
        note.externalID = ItemName.of(
            [highlight.book, highlight.author ?? "", place ?? "", date ?? highlight.quote + highlight.notes.joined()],
            from: .readwise)
        return .success(note)
    }

    private static func column(_ name: String) -> String { name.trimming(\.isWhitespace).lowercased() }

    static func reads(_ name: String) -> Bool { Ending.of(name) == "csv" }

    static func recognizes(_ source: IngestSource) -> Bool {
        guard let file = source.file, reads(file.name) else { return false }
        var records = CSVReader(file.start(), maxFields: mostColumns, isOurs: false)
        let columns = records.next()?.map(column) ?? []
        return columns.contains("highlight") && columns.contains("book title")
    }
}
