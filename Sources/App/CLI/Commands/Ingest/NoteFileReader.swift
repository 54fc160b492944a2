import GatewayAPI
import Ingest
import Storage

/// Reads notes from files as drafts, one batch after another.
actor NoteFileReader {
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
    private var ids = RepeatedIDs()
    private var isTold = false

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
        if format != .markdown, let given = draft.externalID {
            let name = ids.name(draft, given, at: note.location)
            if ids.isFull, !isTold {
                isTold = true
                batch.warnings.append(
                    "\(note.location): behind this line, ids that repeat are not told apart, and the last one counts")
            }
            if name != given {
                // Another note of that id is in the file, and follows the names that the id had.
                (draft.externalID, draft.formerIDs) = (name, [])
                batch.warnings.append(
                    "\(note.location): its id is that of an earlier line with another text; both are stored")
            }
        }
        draft.modifiedAt = note.modifiedAt
        draft.isDateGuessed = note.isDateGuessed || createdAt == nil
        draft.isFile = format == .markdown
        draft.export = note.exportOf.map { ExportClaim(note: $0, evidence: .none) }
        return draft
    }
}

/// Names the lines of a file that have one id and different texts: those that differ from the first one get a hash of their text
/// behind their name. Lines of the same title and text have the same name.
private struct RepeatedIDs {
    /// The most ids of a file that are remembered.
    static let most = 1_000_000

    private var file: Substring = ""
    /// The hash of the first text of a name, by the name's hash.
    private var first: [Int: UInt64] = [:]
    /// Whether the file has more ids than are remembered.
    var isFull: Bool { first.count == Self.most }

    /// - Parameter location: The path of the file, a colon, and the number of the line.
    mutating func name(_ draft: NoteDraft, _ given: String, at location: String) -> String {
        let file = location[..<(location.lastIndex(of: ":") ?? location.endIndex)]
        // A UUID in another file is the same note.
        if file != self.file { (self.file, first) = (file, [:]) }
        let hash = ContentHash.of(title: draft.title, content: draft.content)
        let text = hash.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard let known = first[given.hashValue] else {
            if !isFull { first[given.hashValue] = text }
            return given
        }
        return known == text ? given : given + "#" + String(text >> 32, radix: 16)
    }
}
