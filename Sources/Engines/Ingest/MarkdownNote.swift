import Foundation
import Text

/// Reads a note from a Markdown file, with defaults for what its front matter does not say.
///
/// The title falls back to the first heading, then to the file's name. The date falls back to a date at the start of
/// the file's name, then to the file's modification time. The external id is the file's path. Odd parts stay in the text,
/// with a warning.
enum MarkdownNote {
    /// The maximum size of a file in bytes.
    static let maxBytes = 8 << 20

    static func read(_ url: URL, relativeTo root: URL) -> Result<IngestedNote, IngestProblem> {
        func problem(_ reason: String) -> Result<IngestedNote, IngestProblem> {
            .failure(IngestProblem(location: url.path, reason: reason))
        }
        let values = try? url.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey])
        guard values?.fileSize ?? 0 <= maxBytes else { return problem("is larger than \(maxBytes) bytes") }
        guard let data = try? Data(contentsOf: url) else { return problem("cannot be read") }
        return note(
            FileText(Array(data)), named: url.deletingPathExtension().lastPathComponent, at: url.path,
            modified: values?.contentModificationDate
        ).map { note in
            var note = note
            (note.externalID, note.formerIDs) = names(of: url, below: root)
            return note
        }
    }

    /// Reads the text of a file. The note has no external id yet.
    ///
    /// - Parameter name: The file's name without its ending.
    static func note(
        _ file: FileText, named name: String, at location: String, modified: Date?
    ) -> Result<IngestedNote, IngestProblem> {
        let header = FrontMatter(of: file.text)
        let body = header.body.trimmingCharacters(in: .whitespacesAndNewlines)
        let content = header.content.trimmingCharacters(in: .whitespacesAndNewlines)
        let given = header.text(["title"])
        guard !content.isEmpty || given != nil else {
            return .failure(IngestProblem(location: location, reason: "is empty", isEmpty: true))
        }
        var note = IngestedNote(
            title: NoteTitle.line(given ?? heading(in: header.body) ?? name), content: content,
            noteType: header.first(["note_type", "type"]), actionability: header.first(["actionability"]),
            threads: header.list(["threads", "thread"], split: commas),
            tags: header.list(["tags", "tag"], split: TagWords.split))
        note.warnings = file.warnings + (header.warning.map { [$0] } ?? [])
        note.unreadFields = header.unread
        note.location = location
        note.exportOf = header.first(["selene_id"]).flatMap { Int64($0) }
        // An export has all tags of its note, as they are.
        if note.exportOf == nil {
            note.tags = TagWords.distinct(note.tags.compactMap { TagWords.clean($0) } + Hashtags.find(in: body))
        }
        note.modifiedAt = modified.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) }
        date(&note, header.first(["created_at", "created", "date"]), name, modified)
        return .success(note)
    }

    /// Sets the date: that of the front matter, of the file's name, or of the file.
    private static func date(_ note: inout IngestedNote, _ given: String?, _ name: String, _ modified: Date?) {
        if let given {
            if let found = IngestedDate.read(given) {
                note.createdAt = found.text
                if found.isRead { note.warnings.append("its date \"\(given.prefix(60))\" was read as \(found.text)") }
                return
            }
            note.warnings.append(
                "its date \"\(given.prefix(60))\" is not a date such as 2026-01-31; the file's date is used")
        }
        if let leading = leadingDate(of: name) {
            note.createdAt = leading
        } else {
            note.createdAt = modified?.formatted(.iso8601)
            note.isDateGuessed = true
        }
    }

    private static func commas(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimming(\.isWhitespace) }.filter { !$0.isEmpty }
    }

    /// The first heading: one to six `#`, white space and a text, outside of code.
    private static func heading(in body: String) -> String? {
        var fence: String?
        for line in body.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            if let mark = ["```", "~~~"].first(where: { text.hasPrefix($0) }) {
                if fence == nil { fence = mark } else if fence == mark { fence = nil }
                continue
            }
            guard fence == nil, text.startIndex == line.startIndex || line.count - text.count <= 3 else { continue }
            let marks = text.prefix { $0 == "#" }
            let rest = text.dropFirst(marks.count)
            guard (1...6).contains(marks.count), rest.first == " " || rest.first == "\t" else { continue }
            var title = rest.trimming(\.isWhitespace)
            // A closing row of `#` is no part of the heading.
            let closed = title.trimming { $0 == "#" }
            if title.hasSuffix("#"), title.hasPrefix(closed), closed.last?.isWhitespace ?? true {
                title = closed.trimming(\.isWhitespace)
            }
            if !title.isEmpty { return title }
        }
        return nil
    }

    private static func leadingDate(of name: String) -> String? {
        let prefix = String(name.prefix(10))
        guard let found = IngestedDate.read(prefix), !found.isRead, prefix.count == 10 else { return nil }
        return found.text
    }

    /// The note's identity, which is its path, and those that it had before.
    static func names(of url: URL, below root: URL) -> (now: String, before: [String]) {
        let (full, base) = (url.standardizedFileURL.path, root.standardizedFileURL.path)
        let inside =
            full.hasPrefix(base + "/") ? String(full.dropFirst(base.count + 1)) : url.lastPathComponent
        let folders = [root.lastPathComponent, root.standardizedFileURL.lastPathComponent]
        let place = root.resolvingSymlinksInPath().standardizedFileURL.path
        return (
            (place == "/" ? "" : place) + "/" + inside,
            folders[0] == folders[1] ? [folders[0] + "/" + inside] : folders.map { $0 + "/" + inside }
        )
    }
}

/// One Markdown file of a folder, as `selene ingest` reads it.
package enum NoteFile {
    /// Whether a name is that of a Markdown file.
    package static func isMarkdown(_ name: String) -> Bool { MarkdownFile.reads(name) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The whole path of the file.
    ///   - folder: The folder whose name is part of names that earlier versions gave.
    package static func read(_ path: String, below folder: String) -> Result<IngestedNote, IngestProblem> {
        MarkdownNote.read(URL(filePath: path), relativeTo: URL(filePath: folder)).map { $0.withoutNUL() }
    }
}
