import GatewayAPI
package import Ingest
package import Storage

/// Reads notes from files as drafts, one batch after another.
package actor NoteFileReader {
    /// Bytes of text after which a batch ends early.
    private static let mostBytes = 4 << 20

    /// The size of the source in bytes.
    package nonisolated let totalBytes: Int
    /// Symbolic links that were skipped.
    package nonisolated let skippedLinks: [String]
    /// The number of files of other formats, by their ending.
    package nonisolated let otherFiles: [String: Int]
    /// The folder or the file, links resolved.
    package nonisolated let place: String
    /// The format that is read.
    package nonisolated let format: IngestFormat
    private let reader: NoteReader
    private var ids = RepeatedIDs()
    private var isTold = false

    /// Some notes of the source.
    package struct Batch: Sendable {
        package var drafts: [NoteDraft] = []
        /// Notes that cannot be read.
        package var problems: [String] = []
        /// What was not read as it was written; the notes have all of their text.
        package var warnings: [String] = []
        /// Notes without text.
        package var empty: [String] = []
        /// Fields that have no place in a note, with the number of their notes.
        package var unreadFields: [String: Int] = [:]
        /// Bytes of the source read so far.
        package var bytesRead = 0
        /// Whether nothing was left.
        package var isAtEnd = false
    }

    /// Opens a source.
    ///
    /// - Throws: ``IngestError`` when the path does not exist or has no notes of that format.
    package init(path: String, format: IngestFormat?) throws(IngestError) {
        let reader = try NoteReader(path: path, format: format)
        totalBytes = reader.totalBytes
        skippedLinks = reader.skippedLinks
        otherFiles = reader.otherFiles
        place = reader.place
        self.format = reader.format
        self.reader = reader
    }

    /// The next notes, at most `limit`; fewer when they are long.
    package func next(_ limit: Int) -> Batch {
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
        var (draft, warning) = note.draft(of: format)
        if let warning { batch.warnings.append("\(note.location): \(warning)") }
        if !format.isOfFiles, let given = draft.externalID {
            let name = ids.name(draft, given, at: format.isExport ? place : note.location)
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
        return draft
    }
}

extension IngestedNote {
    /// The note as a draft of a format, with a warning when its date cannot be read.
    func draft(of format: IngestFormat) -> (draft: NoteDraft, warning: String?) {
        let created = createdAt.flatMap(Timestamp.unixSeconds)
        var draft = NoteDraft(
            title: title, content: content, createdAt: created ?? (createdAt == nil ? nil : modifiedAt),
            noteType: noteType, actionability: actionability, threads: threads, tags: tags, externalID: externalID,
            source: format.rawValue)
        draft.formerIDs = formerIDs
        draft.modifiedAt = modifiedAt
        draft.isDateGuessed = isDateGuessed || created == nil
        draft.isFile = format.isOfFiles
        draft.export = exportOf.map { ExportClaim(note: $0, evidence: .none) }
        let warning =
            created == nil ? createdAt.map { "its date \"\($0)\" is not a date such as 2026-01-31" } : nil
        return (draft, warning)
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
