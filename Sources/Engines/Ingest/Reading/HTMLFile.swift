import Documents
import Foundation

/// Reads the one note of an HTML file, such as Apple Notes and other programs export.
struct HTMLFile: ItemReader {
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
        do throws(IngestProblem) { return try read() } catch { return .failure(error) }
    }

    private func read() throws(IngestProblem) -> Result<IngestedNote, IngestProblem> {
        guard let url = file.url else { throw file.problem("is in an archive; unpack it first") }
        let markup = MarkupText(html: try file.whole(MarkdownNote.maxBytes))
        guard !markup.text.isEmpty else {
            return .failure(IngestProblem(location: file.location, reason: "has no text", isEmpty: true))
        }
        return MarkdownNote.note(
            FileText(Array(markup.text.utf8)), named: markup.title ?? Ending.stem(file.name), at: file.location,
            modified: file.modifiedAt.map { Date(timeIntervalSince1970: Double($0)) }
        ).map { note in
            var note = note
            if let title = markup.title { note.title = title }
            note.warnings = markup.warnings
            note.exportOf = nil
            note.externalID = MarkdownNote.names(of: url, below: root).now
            return note
        }
    }

    static func reads(_ name: String) -> Bool { BookmarkFile.reads(name) }

    /// A folder of pages without notes in other formats, or one page.
    static func recognizes(_ source: IngestSource) -> Bool {
        source.archive == nil && !source.hasNotes && source.names.contains(where: reads)
    }
}
