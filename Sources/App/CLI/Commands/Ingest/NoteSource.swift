import Ingest
import Storage

/// Reads notes from files as drafts, one batch after another.
actor NoteSource {
    /// Bytes of text after which a batch ends early.
    private static let mostBytes = 4 << 20

    /// The size of the source in bytes.
    nonisolated let totalBytes: Int
    /// Symbolic links that were skipped.
    nonisolated let skippedLinks: [String]
    /// The number of files of other formats, by their ending.
    nonisolated let otherFiles: [String: Int]
    /// The folder or the file, links resolved.
    nonisolated let place: String
    /// The format that is read.
    nonisolated let format: IngestFormat
    private let reader: NoteReader

    /// Some notes of the source.
    struct Batch: Sendable {
        var drafts: [NoteDraft] = []
        /// Notes that cannot be read.
        var problems: [String] = []
        /// What was not read as it was written; the notes have all of their text.
        var warnings: [String] = []
        /// Notes without text.
        var empty: [String] = []
        /// Fields that have no place in a note, with the number of their notes.
        var unreadFields: [String: Int] = [:]
        /// Bytes of the source read so far.
        var bytesRead = 0
        /// Whether nothing was left.
        var isAtEnd = false
    }

    /// Opens a source.
    init(path: String, format: IngestFormat?) throws(IngestError) {
        let reader = try NoteReader(path: path, format: format)
        totalBytes = reader.totalBytes
        skippedLinks = reader.skippedLinks
        otherFiles = reader.otherFiles
        place = reader.place
        self.format = reader.format
        self.reader = reader
    }

    /// The next notes, at most `limit`; fewer when they are long.
    func next(_ limit: Int) -> Batch {
        var batch = Batch()
        var (count, bytes) = (0, 0)
        while count < limit, bytes < Self.mostBytes {
            guard let result = reader.next(1).first else { break }
            count += 1
            switch result {
            case .success(let note):
                bytes += note.title.utf8.count + note.content.utf8.count
                batch.drafts.append(draft(note, &batch))
                batch.warnings += note.warnings.map { "\(note.location): \($0)" }
                for field in note.unreadFields { batch.unreadFields[field, default: 0] += 1 }
            case .failure(let problem) where problem.isEmpty: batch.empty.append(problem.description)
            case .failure(let problem): batch.problems.append(problem.description)
            }
        }
        batch.isAtEnd = count == 0
        batch.bytesRead = reader.bytesRead
        return batch
    }

    private func draft(_ note: IngestedNote, _ batch: inout Batch) -> NoteDraft {
        let createdAt = note.createdAt.flatMap(Timestamp.unixSeconds)
        if createdAt == nil, let text = note.createdAt {
            batch.warnings.append("\(note.location): its date \"\(text)\" is not a date such as 2026-01-31")
        }
        var draft = NoteDraft(
            title: note.title, content: note.content,
            createdAt: createdAt ?? (note.createdAt == nil ? nil : note.modifiedAt),
            noteType: note.noteType, actionability: note.actionability, threads: note.threads, tags: note.tags,
            externalID: note.externalID, source: format.rawValue)
        draft.formerIDs = note.formerIDs
        draft.modifiedAt = note.modifiedAt
        draft.isDateGuessed = note.isDateGuessed || createdAt == nil
        draft.isFile = format == .markdown
        draft.export = note.exportOf.map { ExportClaim(note: $0, evidence: .none) }
        return draft
    }
}
