import Concurrency
package import Folders
import Foundation
import GatewayAPI
import Ingest
package import SourceRoom
package import Storage

/// Looks at the files of one source, whatever its kind, and writes what came of it.
package struct SourceLook: Sendable {
    /// The file in a folder whose lines are patterns of paths to leave out.
    package static let ignoreFile = ".seleneignore"
    /// The largest such file in bytes.
    private static let maxIgnoreBytes = 256 << 10

    private let store: any GatewayStore
    private let claims: ClaimCheck
    /// Reads files on threads that may wait.
    private let disk = LargeWork(width: 1)

    /// The time in nanoseconds since 1970.
    private let now: @Sendable () -> Int64

    /// - Parameter now: The time in nanoseconds since 1970, by the clock that sets the times of files.
    package init(
        store: any GatewayStore, claims: @escaping ClaimCheck,
        now: @escaping @Sendable () -> Int64 = {
            Int64(exactly: (Date.now.timeIntervalSince1970 * 1_000_000_000).rounded()) ?? .max
        }
    ) {
        (self.store, self.claims, self.now) = (store, claims, now)
    }

    /// The folder of a source as it is listed now.
    ///
    /// - Throws: ``FolderFault`` when it is not there.
    func walk(of source: Source) throws(FolderFault) -> FolderWalk {
        guard let path = source.path else { throw FolderFault(description: "\(source.name) has no folder") }
        var lines = source.ignore
        let list = path + "/" + Self.ignoreFile
        if let sign = FileSign(of: list), sign.size <= Self.maxIgnoreBytes,
            let text = try? String(contentsOfFile: list, encoding: .utf8)
        {
            lines = text.split(whereSeparator: \.isNewline).map(String.init) + lines
        }
        let rules = IgnoreRules(lines)
        guard source.kind == .folder else { return try FolderWalk(path, leavingOut: rules) { _ in true } }
        return try FolderWalk(path, leavingOut: rules, isWanted: NoteFile.isMarkdown)
    }

    /// Looks at all files of a source and writes its state.
    ///
    /// - Parameters:
    ///   - entering: Called with each folder before it is read.
    ///   - report: Called with how much is done of how much: of changed files, or of bytes.
    /// - Throws: ``StorageError``, a server's own error; a folder that is away is no error, but a state.
    @discardableResult
    package func all(
        _ source: StoredSource, entering: @escaping @Sendable (FilePath) -> Void = { _ in },
        report: (Int, Int) -> Void = { _, _ in }
    ) async throws -> LookOutcome {
        let began = try await store.sources.now()
        do {
            var outcome: LookOutcome
            switch source.source.kind {
            case .folder:
                let look = FolderLook(
                    source, try walk(of: source.source), store: store, claims: claims, disk: disk, now: now)
                outcome = try await look.run(entering: entering, report: report)
            case .file: outcome = try await file(source, report)
            case .script: outcome = LookOutcome()
            }
            try await end(source, outcome, began: began)
            return outcome
        } catch let fault as FolderFault {
            try await store.sources.endLook(source.id, .away, fault.description, began: began)
            throw fault
        }
    }

    /// Looks at some paths of a folder.
    func some(
        _ paths: [FilePath], of source: StoredSource, entering: @escaping @Sendable (FilePath) -> Void
    ) async throws -> LookOutcome {
        let look = FolderLook(source, try walk(of: source.source), store: store, claims: claims, disk: disk, now: now)
        let outcome = try await look.run(paths, entering: entering)
        if outcome.missing > 0 { try await end(source, outcome, began: source.lookedAt ?? 0) }
        return outcome
    }

    private func end(_ source: StoredSource, _ outcome: LookOutcome, began: Int64) async throws {
        let isAsking = outcome.missing > 0
        let message =
            isAsking
            ? "\(outcome.missing) files are missing, more than a fifth; their notes stay. Bring the files back, or let the notes "
                + "go: selene sources resume \(source.source.name) --accept-missing"
            : nil
        try await store.sources.endLook(source.id, isAsking ? .asking : .following, message, began: began)
    }

    // MARK: Files of other formats

    /// Reads a file, or a folder of files, of another format again when one of its files changed.
    private func file(_ source: StoredSource, _ report: (Int, Int) -> Void) async throws -> LookOutcome {
        var outcome = LookOutcome()
        guard let path = source.source.path else { return outcome }
        var listing = FolderWalk.Listing()
        if let sign = FileSign(of: path) {
            listing.files = [(FilePath(""), sign)]
        } else {
            let walk = try walk(of: source.source)
            listing = try await disk.run(over: .max, for: source.source.name) { try walk.list() }
        }
        let known = try await store.sources.files(of: source.id, within: [""])
        let difference = FolderDifference(listing, known, now: now())
        (outcome.files, outcome.unsettled) = (listing.files.count, difference.unsettled)
        guard !difference.changed.isEmpty, difference.unsettled.isEmpty else { return outcome }
        do {
            let reader = try NoteFileReader(path: path, format: source.source.format.flatMap(IngestFormat.init))
            let tally = try await NoteFileIngest(notes: store.notes, claims: claims).run(reader) { bytes, _ in
                report(bytes, reader.totalBytes)
            }
            outcome.stored = tally.outcome
            outcome.read = difference.changed.count
            for problem in tally.problems { outcome.note(problem: problem) }
            outcome.add(tally.warnings)
        } catch let error as IngestError {
            throw FolderFault(description: error.message)
        }
        let rows = difference.changed.map { changed in
            StoredSourceFile(
                path: changed.path.text, size: changed.sign.size, modified: changed.sign.modified,
                changed: changed.sign.changed)
        }
        try await store.sources.keep(rows, of: source.id)
        try await store.sources.forget(difference.gone.map { $0.path }, of: source.id)
        return outcome
    }
}
