import Access
package import GatewayAPI
import Storage
import Synchronization
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Exports notes as Markdown files. Later exports write only changed notes.
package final class NoteExport: Sendable {
    /// The number of notes per batch.
    package static let batch = 100

    private let notes: any NoteBook
    private let exports: ExportStore
    private let marksNotes: Bool
    private let folder: ExportFolder
    private let scans: KeyConcurrencyLimiter
    private let isRunning = Mutex(false)

    init(store: any GatewayStore, records: ExportStore, folder: String, scans: KeyConcurrencyLimiter) {
        notes = store.notes
        exports = records
        marksNotes = store.dialect == .sqlite
        self.scans = scans
        self.folder = ExportFolder(path: folder)
    }

    /// Exports one note, or all notes when `note` is nil. Each page of notes is read within the identity's share of
    /// scans.
    ///
    /// - Throws: ``ExportError``, ``StorageError``, `CancellationError`.
    package func run(_ note: Int64?, identity: String) async throws -> ExportResponse {
        let mayRun = isRunning.withLock { running in
            defer { running = true }
            return !running
        }
        guard mayRun else {
            throw ExportError.isRunning
        }
        defer { isRunning.withLock { $0 = false } }
        if let reason = await folder.run({ $0.prepare() }) {
            throw ExportError.unusableFolder(reason)
        }
        var tally = Tally()
        if let note {
            let found = try await notes.find(ids: [note])
            guard !found.isEmpty else { throw ExportError.noNote(note) }
            try await write(found, &tally)
        } else {
            var (cursor, present): (PageCursor?, Set<Int64>) = (nil, [])
            repeat {
                let page = try await scans.run(identity) { [notes, cursor] in
                    try await notes.page(after: cursor, limit: Self.batch)
                }
                try await write(page.items, &tally)
                present.formUnion(page.items.map(\.id))
                cursor = page.next
            } while cursor != nil
            try await removeOrphans(but: present, &tally)
        }
        return tally.response
    }

    /// Whether a note is as it was when a file with this hash was exported.
    static func isUpToDate(_ note: Note, _ hash: [UInt8]) -> Bool {
        ExportFolder.hash(Data(ExportedNote(note).text.utf8)) == hash
    }

    private func write(_ notes: [Note], _ tally: inout Tally) async throws {
        try Task.checkCancellation()
        guard !notes.isEmpty else { return }
        let before = try await exports.files(in: folder.path, of: notes.map(\.id))
        let outcomes = await folder.run { folder in
            notes.map { folder.write(ExportedNote($0), of: $0.id, before: before[$0.id]) }
        }
        var written: [ExportedFile] = []
        for (outcome, removed) in outcomes {
            if removed { tally.removed += 1 }
            switch outcome {
            case .written(let file):
                tally.written += 1
                written.append(file)
            case .unchanged: tally.unchanged += 1
            case .kept: tally.kept += 1
            case .failed(let reason):
                tally.failed += 1
                tally.reason = tally.reason ?? reason
            }
        }
        if !written.isEmpty { try await exports.record(written, in: folder.path, marksNotes: marksNotes) }
    }

    /// Removes the files of notes that no longer exist.
    ///
    /// - Parameter present: Notes that exist.
    private func removeOrphans(but present: Set<Int64>, _ tally: inout Tally) async throws {
        var last = Int64.min
        while true {
            try Task.checkCancellation()
            let files = try await exports.files(in: folder.path, after: last, limit: Self.batch)
            guard let end = files.last else { return }
            last = end.note
            // A note whose date changed meanwhile may have been on none of the pages.
            let missing = files.map(\.note).filter { !present.contains($0) }
            let found = Set(try await notes.find(ids: missing, maxBytes: .max).map(\.id))
            let gone = files.filter { !present.contains($0.note) && !found.contains($0.note) }
            guard !gone.isEmpty else { continue }
            tally.removed += await folder.run { folder in gone.count { folder.remove($0) } }
            try await exports.forget(gone.map(\.note), in: folder.path)
        }
    }

    private struct Tally {
        var (written, unchanged, removed, kept, failed) = (0, 0, 0, 0, 0)
        var reason: String?

        var response: ExportResponse {
            let done =
                "\(Count.of(written, "note")) written, \(unchanged) unchanged, \(removed) files removed, \(kept) kept"
            return ExportResponse(
                success: failed == 0, exportedCount: written, unchangedCount: unchanged, removedCount: removed,
                keptCount: kept, errors: failed, message: reason.map { "\(done); \(failed) failed: \($0)" } ?? done)
        }
    }
}

/// The reason why an export did not run.
enum ExportError: Error {
    /// Another export is running.
    case isRunning
    /// The folder is unusable, with the reason.
    case unusableFolder(String)
    /// The note does not exist.
    case noNote(Int64)
}
