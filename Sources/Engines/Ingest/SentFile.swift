import Foundation

/// Reads a note from a Markdown or text file that a client sent, as `selene ingest` reads one of a folder.
package enum SentFile {
    /// Reads a file.
    ///
    /// The external id is `upload:` and the path, since a path that a client names is no file of this machine.
    /// - Parameters:
    ///   - path: The path below the folder that was sent, or the file's name; `/` between its parts.
    ///   - text: The text of the file.
    ///   - modifiedAt: When the file was modified, in seconds since 1970.
    /// - Returns: The note, or why there is none: the file is empty.
    package static func read(
        path: String, text: String, modifiedAt: Int64?
    ) -> Result<IngestedNote, IngestProblem> {
        let parts = path.split(separator: "/").filter { $0 != "." }
        let file = parts.last.map(String.init) ?? path
        let end = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 } ?? file.endIndex
        return MarkdownNote.note(
            FileText(Array(text.utf8)), named: String(file[..<end]), at: path,
            modified: modifiedAt.map { Date(timeIntervalSince1970: Double($0)) }
        ).map { note in
            var note = note
            note.externalID = "upload:" + parts.joined(separator: "/")
            // No file that was sent is an export that this gateway wrote.
            note.exportOf = nil
            return note
        }
    }
}
