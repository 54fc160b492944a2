import GatewayAPI
import Server
import Storage
import Text

/// A note that a script sends, as a draft, and the reply.
enum SentNote {
    /// Checks an item.
    ///
    /// - Parameter place: The item's place in the body, for messages.
    /// - Throws: ``GatewayError``.
    static func draft(_ item: SourceNotesRequest.Item, at place: String) throws -> NoteDraft {
        let id: String = try FieldCheck.text(item.id, "\(place).id", maxBytes: SourcesAPI.maxIDBytes)
        let content: String = try FieldCheck.text(item.content, "\(place).content", maxBytes: .max)
        let title: String? = try FieldCheck.text(item.title, "\(place).title", maxBytes: NotesLimits.maxTitleBytes)
        return NoteDraft(
            title: title ?? firstLine(content), content: content,
            createdAt: try FieldCheck.date(item.createdAt, "\(place).created_at"),
            noteType: try FieldCheck.text(item.noteType, "\(place).note_type", maxBytes: NotesLimits.maxWordBytes),
            threads: try words(item.threads, "\(place).threads") ?? [],
            tags: try words(item.tags, "\(place).tags") ?? Hashtags.find(in: content),
            externalID: id, source: "script")
    }

    private static func words(_ words: [String]?, _ name: String) throws -> [String]? {
        try FieldCheck.texts(words, name, maxCount: NotesLimits.maxWords, maxBytes: NotesLimits.maxWordBytes)
    }

    /// The first line with text, at most 200 characters of it.
    private static func firstLine(_ text: String) -> String {
        let line =
            text.split(whereSeparator: \.isNewline).lazy.map { $0.drop(while: \.isWhitespace) }
            .first { !$0.isEmpty } ?? ""
        return String(line.prefix(200))
    }

    static func reply(_ outcome: InsertOutcome, source: String) -> NoteImportResponse {
        let prefix = Source.scriptPrefix(source)
        return NoteImportResponse(
            created: outcome.inserted, updated: outcome.updated, unchanged: outcome.unchanged, empty: [],
            remarks: outcome.remarks.compactMap {
                NoteImportResponse.Remark($0, path: String($0.name.dropFirst(prefix.count)))
            })
    }
}
