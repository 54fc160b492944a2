import Text

/// Reads the rows of a database of Notion that have no page of their own: their fields, one in a line.
struct NotionRows: IteratorProtocol {
    private let file: IngestFile
    private let name: NotionName
    private var records: CSVReader
    private let columns: [String]
    private let warnings: [String]
    /// The titles of the database's pages, without signs.
    private let pages: Set<String>
    private var number = 1
    private var isCut = false

    /// Columns of a table at most.
    private static let mostColumns = 500
    /// The letters of a title after which names of files may be cut.
    private static let cuts = 30...60

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        name = NotionName(file.name)
        let text = FileText(try file.whole())
        warnings = text.warnings
        records = CSVReader(Array(text.text.utf8), maxFields: Self.mostColumns, isOurs: false)
        columns = (records.next() ?? []).map { $0.trimming(\.isWhitespace) }
        let stem = file.name.dropLast(name.hasAllRows ? 8 : 4)
        // The other file has the rows of a view, all of which are in this one's.
        if !name.hasAllRows, source.names.contains("\(stem)_all.csv") { records = CSVReader([], maxFields: 1) }
        let parent = stem.lastIndex(of: "/").map { stem[...$0] } ?? ""
        let folders = ["\(stem)/", "\(parent)\(name.title)/"]
        pages = Set(
            source.names.filter { page in folders.contains(where: page.hasPrefix) && Ending.of(page) == "md" }
                .map { NotionName.letters(NotionName($0).title) })
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        while !isCut, let record = records.next() {
            number += 1
            isCut = records.isCut
            let title = NoteTitle.line(record.first ?? "").trimming(\.isWhitespace)
            if hasPage(title) { continue }
            let location = "\(file.location):\(number)"
            var fields: [(name: String, value: String)] = []
            for (index, value) in record.enumerated() where !value.allSatisfy(\.isWhitespace) {
                fields.append((index < columns.count ? columns[index] : "", value.trimming(\.isWhitespace)))
            }
            guard !fields.isEmpty else {
                return .failure(IngestProblem(location: location, reason: "is an empty row", isEmpty: true))
            }
            let lines = fields.dropFirst(title.isEmpty ? 0 : 1).map {
                $0.name.isEmpty ? $0.value : "\($0.name): \($0.value)"
            }
            let content = (name.title.isEmpty ? [] : ["Database: \(name.title)"]) + lines
            var note = IngestedNote(
                title: title.isEmpty ? NoteTitle.first(of: fields[0].value) : title,
                content: content.joined(separator: "\n"))
            note.location = location
            note.modifiedAt = file.modifiedAt
            note.warnings = warnings + (isCut ? ["the file ends within this row"] : [])
            // Rows have no ids of their own.
            let own = title.isEmpty ? fields.map(\.value) : [title]
            note.externalID = ItemName.of([name.id ?? file.name] + own, from: .notion)
            NotionFields(fields).apply(to: &note)
            return .success(note)
        }
        return nil
    }

    /// Whether a row has a page, which has all of its fields. The name of its file may be cut short.
    private func hasPage(_ title: String) -> Bool {
        let letters = NotionName.letters(title)
        guard !letters.isEmpty else { return false }
        return pages.contains(letters)
            || (letters.count >= Self.cuts.lowerBound
                && Self.cuts.contains { pages.contains(String(letters.prefix($0))) })
    }
}
