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
    private let reader: NoteReader

    /// Some notes of the source.
    struct Batch: Sendable {
        var drafts: [NoteDraft] = []
        /// Notes that cannot be read.
        var problems: [String] = []
        /// The number of notes without text.
        var empty = 0
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
                do throws(IngestProblem) {
                    batch.drafts.append(try Self.draft(note, source: reader.format.rawValue))
                } catch {
                    batch.problems.append(error.description)
                }
            case .failure(let problem) where problem.isEmpty: batch.empty += 1
            case .failure(let problem): batch.problems.append(problem.description)
            }
        }
        batch.isAtEnd = count == 0
        batch.bytesRead = reader.bytesRead
        return batch
    }

    private static func draft(_ note: IngestedNote, source: String) throws(IngestProblem) -> NoteDraft {
        var createdAt: Int64?
        if let text = note.createdAt {
            guard let seconds = Timestamp.unixSeconds(text) else {
                throw IngestProblem(
                    location: note.externalID ?? note.title, reason: "\"\(text)\" is not a date such as 2026-01-31")
            }
            createdAt = seconds
        }
        return NoteDraft(
            title: note.title, content: note.content, createdAt: createdAt, noteType: note.noteType,
            actionability: note.actionability, threads: note.threads, tags: note.tags, externalID: note.externalID,
            source: source)
    }
}
