import Foundation
import GatewayAPI
package import Storage

/// Tells which drafts are exports of this gateway. A file can name any note, so its word does not count.
package struct ExportClaims: Sendable {
    private let notes: any NoteBook
    private let records: ExportStore

    /// - Parameter records: What was exported to folders of this machine.
    package init(notes: any NoteBook, records: ExportStore) { (self.notes, self.records) = (notes, records) }

    /// The drafts, with what is known about their claims to be exports.
    ///
    /// - Throws: ``StorageError``, and for notes elsewhere the server's own error.
    package func checked(_ drafts: [NoteDraft]) async throws -> [NoteDraft] {
        let claimed = Array(Set(drafts.compactMap { $0.export?.note }))
        guard !claimed.isEmpty else { return drafts }
        let files = Dictionary(
            try await records.files(of: claimed).map { (Key(note: $0.note, path: Self.resolved($0.path)), $0.hash) }
        ) { first, _ in first }
        let exported = Array(Set(files.keys.map(\.note)))
        let notes = Dictionary(try await notes.find(ids: exported).map { ($0.id, $0) }) { first, _ in first }
        return drafts.map { draft in
            guard let claim = draft.export, let name = draft.externalID,
                let hash = files[Key(note: claim.note, path: name)], let note = notes[claim.note]
            else { return draft }
            var draft = draft
            draft.export?.evidence = NoteExport.isUpToDate(note, hash) ? .unedited : .edited
            return draft
        }
    }

    private struct Key: Hashable {
        var note: Int64
        var path: String
    }

    private static func resolved(_ path: String) -> String {
        let url = URL(filePath: path).standardizedFileURL
        return url.deletingLastPathComponent().resolvingSymlinksInPath().appending(path: url.lastPathComponent)
            .standardizedFileURL.path
    }
}
