import GatewayAPI
import Ingest
import Storage

/// Stores files that a client sent as notes. A repeated import makes no copies.
struct NoteImport: Sendable {
    private let notes: any NoteBook

    /// Creates the service.
    init(notes: any NoteBook) { self.notes = notes }

    /// A file with a checked path and date.
    struct File: Sendable {
        var path: String
        var content: String
        /// In seconds since 1970.
        var modifiedAt: Int64?
    }

    /// Files as they were read.
    struct Batch: Sendable {
        fileprivate var drafts: [NoteDraft] = []
        fileprivate var empty: [String] = []
        fileprivate var remarks: [Remark] = []
        /// The paths as the client wrote them, by the names of notes.
        fileprivate var paths: [String: String] = [:]

        fileprivate typealias Remark = NoteImportResponse.Remark

        /// Reads files.
        init(_ files: [File]) {
            for file in files {
                switch SentFile.read(path: file.path, text: file.content, modifiedAt: file.modifiedAt) {
                case .failure: empty.append(file.path)
                case .success(let note):
                    drafts.append(Self.draft(note))
                    if let name = note.externalID { paths[name] = file.path }
                    remarks += note.warnings.map { Remark(path: file.path, kind: "read_as", message: $0) }
                }
            }
        }

        private static func draft(_ note: IngestedNote) -> NoteDraft {
            let createdAt = note.createdAt.flatMap(Timestamp.unixSeconds)
            var draft = NoteDraft(
                title: note.title, content: note.content,
                createdAt: createdAt ?? (note.createdAt == nil ? nil : note.modifiedAt), noteType: note.noteType,
                actionability: note.actionability, threads: note.threads, tags: note.tags,
                externalID: note.externalID, source: "markdown")
            draft.modifiedAt = note.modifiedAt
            draft.isDateGuessed = note.isDateGuessed || createdAt == nil
            (draft.isFile, draft.isUpload) = (true, true)
            return draft
        }
    }

    /// Stores files in one transaction; those whose text repeats in a second one, so that they find the note of the first.
    ///
    /// - Throws: ``StorageError``, and for notes elsewhere the server's own error.
    func store(_ batch: Batch) async throws -> NoteImportResponse {
        var texts: Set<[UInt8]> = []
        var (first, repeated) = ([NoteDraft](), [NoteDraft]())
        for draft in batch.drafts {
            if let hash = draft.textHash, !texts.insert(hash).inserted {
                repeated.append(draft)
            } else {
                first.append(draft)
            }
        }
        var outcome = try await notes.insert(first)
        if !repeated.isEmpty { outcome += try await notes.insert(repeated) }
        let remarks = outcome.remarks.compactMap { remark in
            NoteImportResponse.Remark(remark, path: batch.paths[remark.name] ?? remark.name)
        }
        return NoteImportResponse(
            created: outcome.inserted, updated: outcome.updated, unchanged: outcome.unchanged, empty: batch.empty,
            remarks: batch.remarks + remarks)
    }
}
