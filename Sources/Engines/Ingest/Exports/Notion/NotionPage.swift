import Foundation

/// Reads a page of Notion.
enum NotionPage {
    static func read(_ file: IngestFile) throws(IngestProblem) -> Result<IngestedNote, IngestProblem> {
        let name = NotionName(file.name)
        let text = FileText(try file.whole(MarkdownNote.maxBytes))
        return MarkdownNote.note(
            text, named: name.title, at: file.location,
            modified: file.modifiedAt.map { Date(timeIntervalSince1970: Double($0)) }
        ).map { note in
            var note = note
            note.externalID = name.id.map { ItemName.of($0, from: .notion) } ?? ItemName.of([file.name], from: .notion)
            note.exportOf = nil
            if note.title.isEmpty { note.title = NoteTitle.first(of: note.content) }
            NotionFields(lines: text.text).apply(to: &note)
            return note
        }
    }
}
