/// Reads a file of a Notion export: the page of a Markdown file, or the rows of a database's CSV file that have no page.
struct NotionFile: ItemReader {
    private var results: any IteratorProtocol<Result<IngestedNote, IngestProblem>>
    private let size: Int
    var bytesRead: Int { size }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        size = file.size
        if Ending.of(file.name) == "csv" {
            results = try NotionRows(file, of: source)
        } else {
            results = CollectionOfOne(try NotionPage.read(file)).makeIterator()
        }
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { results.next() }

    static func reads(_ name: String) -> Bool { ["md", "csv"].contains(Ending.of(name)) }

    /// All files of Markdown, and those of tables where there are no others, have ids in their names.
    static func recognizes(_ source: IngestSource) -> Bool {
        guard source.file == nil, NotionName(source.names.first(where: reads) ?? "").id != nil else { return false }
        let pages = source.names.filter { Ending.of($0) == "md" }
        let files = pages.isEmpty ? source.names.filter { Ending.of($0) == "csv" } : pages
        return !files.isEmpty && files.allSatisfy { NotionName($0).id != nil }
    }
}
