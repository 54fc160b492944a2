import Foundation

/// Reads the one note of a Markdown file.
struct MarkdownFile: ItemReader {
    private let file: IngestFile
    private let root: URL
    private var isRead = false
    var bytesRead: Int { isRead ? file.size : 0 }

    init(_ file: IngestFile, of source: IngestSource) {
        self.file = file
        root = source.isFolder ? source.url : source.url.deletingLastPathComponent()
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        guard !isRead else { return nil }
        isRead = true
        guard let url = file.url else { return .failure(file.problem("is in an archive; unpack it first")) }
        return MarkdownNote.read(url, relativeTo: root)
    }

    static func reads(_ name: String) -> Bool {
        ["md", "markdown", "mdown", "mkd", "mkdn", "mdwn"].contains(Ending.of(name))
    }

    static func recognizes(_ source: IngestSource) -> Bool { source.isFolder && source.names.contains(where: reads) }
}
