import Concurrency
import Folders
import Foundation
import GatewayAPI
import Ingest
import SourceRoom
import Storage
import Text

/// Compares the files of a folder with what is known of them, and makes the notes follow.
///
/// New and changed files are read and stored first, so that a moved file keeps its note. Notes of files that are gone then go to
/// the bin: they are deleted, and come back with their file. A stop at any point leaves what the next look goes on with.
struct FolderLook: Sendable {
    /// How long a file must be unchanged before it is read, in nanoseconds: somebody may still be writing it.
    static let settleTime: Int64 = 400_000_000
    /// The most files, and bytes of files, that are read before they are stored.
    private static let (maxBatch, maxBatchBytes) = (200, Int64(4 << 20))
    /// Above this share of the files, missing ones are not taken for gone, and never at most this number of them.
    static let (goneShare, fewGone) = (5, 5)
    /// For how long removed files count to that share, in milliseconds.
    private static let goneTime: Int64 = 3_600_000

    let source: StoredSource
    let walk: FolderWalk
    let store: any GatewayStore
    let room: SourceRoom
    let claims: ClaimCheck
    let disk: LargeWork
    /// The time in nanoseconds since 1970.
    let now: @Sendable () -> Int64

    init(
        _ source: StoredSource, _ walk: FolderWalk, store: any GatewayStore, claims: @escaping ClaimCheck,
        disk: LargeWork, now: @escaping @Sendable () -> Int64
    ) {
        (self.source, self.walk, self.store, self.claims, self.disk) = (source, walk, store, claims, disk)
        self.now = now
        room = store.sources
    }

    /// Looks at paths; at all for nil.
    ///
    /// - Parameters:
    ///   - entering: Called with each folder before it is read.
    ///   - report: Called with the number of changed files that were done, and of all.
    /// - Throws: ``FolderFault``, ``StorageError``, a server's own error.
    func run(
        _ paths: [FilePath]? = nil, entering: @escaping @Sendable (FilePath) -> Void = { _ in },
        report: (Int, Int) -> Void = { _, _ in }
    ) async throws -> LookOutcome {
        let paths = Self.outermost(paths ?? [FilePath("")])
        let listing = try await onDisk { [walk] in
            var listing = FolderWalk.Listing()
            for path in paths {
                let part = try walk.list(path, entering: entering)
                listing.files += part.files
                listing.faults += part.faults
            }
            return listing
        }
        let known = try await room.files(of: source.id, within: paths.map(\.text))
        var outcome = LookOutcome()
        for fault in listing.faults { outcome.note(problem: "\(walk.absolute(fault.path)): \(fault.reason)") }
        let difference = FolderDifference(listing, known, now: now())
        outcome.files = listing.files.count
        outcome.unsettled = difference.unsettled
        try await read(difference.changed, &outcome, report)
        try await remove(difference.gone, &outcome)
        return outcome
    }

    /// Paths without those below another one.
    static func outermost(_ paths: [FilePath]) -> [FilePath] {
        var kept: [FilePath] = []
        for path in paths.sorted() where !kept.contains(where: { path.isWithin($0) }) { kept.append(path) }
        return kept
    }

    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await disk.run(over: .max, for: source.source.name, work)
    }

    // MARK: Files that are there

    private func read(_ changed: [Changed], _ outcome: inout LookOutcome, _ report: (Int, Int) -> Void) async throws {
        var start = 0
        while start < changed.count {
            try Task.checkCancellation()
            var (end, bytes) = (start, Int64(0))
            while end < changed.count, end - start < Self.maxBatch, bytes < Self.maxBatchBytes {
                bytes = bytes.addingReportingOverflow(changed[end].sign.size).partialValue
                end += 1
            }
            let part = Array(changed[start..<end])
            let (files, unsettled) = try await onDisk { [walk] in ReadFile.all(part, walk) }
            outcome.unsettled += unsettled
            outcome.read += files.count
            try await keep(files, &outcome)
            start = end
            report(end, changed.count)
        }
    }

    private func keep(_ files: [ReadFile], _ outcome: inout LookOutcome) async throws {
        let restored = try await restore(files, &outcome)
        let drafts = files.compactMap(\.draft)
        if !drafts.isEmpty { outcome.stored += try await store.notes.insert(try await claims(drafts)) }
        try await settle(restored, &outcome)
        var (rows, emptied) = ([StoredSourceFile](), [StoredSourceFile]())
        for file in files {
            outcome.add(file.warnings)
            let path = walk.absolute(file.changed.path)
            if file.isEmpty {
                outcome.note(empty: path)
            } else if let problem = file.problem {
                outcome.note(problem: "\(path): \(problem)")
            }
            let row = file.row
            if file.isEmpty, file.changed.known.map({ $0.state == .there && $0.problem == nil }) ?? false {
                emptied.append(row)
            } else {
                rows.append(row)
            }
        }
        try await room.keep(rows, of: source.id)
        // A file without text has no note.
        try await bin(emptied, &outcome)
    }

    /// Brings back the notes of files that were removed and are there again, at their path or at another one.
    ///
    /// - Returns: The rows of the notes that came back for a file at another path.
    private func restore(_ files: [ReadFile], _ outcome: inout LookOutcome) async throws -> [StoredSourceFile] {
        for file in files where file.draft != nil {
            if let known = file.changed.known, known.state != .there, let note = known.note {
                outcome.restored += try await restore(note) ? 1 : 0
            }
        }
        var texts: [[UInt8]: Int] = [:]
        for file in files where file.changed.known == nil {
            if let hash = file.draft?.textHash { texts[hash, default: 0] += 1 }
        }
        guard !texts.isEmpty else { return [] }
        var moved: [StoredSourceFile] = []
        for row in try await room.binned(of: source.id, texts: Array(texts.keys)) {
            guard let hash = row.textHash, let count = texts[hash], count > 0, let note = row.note,
                FileSign(of: walk.absolute(FilePath(row.path))) == nil
            else { continue }
            texts[hash] = count - 1
            if try await restore(note) { moved.append(row) }
        }
        return moved
    }

    /// Whether a note came back.
    private func restore(_ note: Int64) async throws -> Bool {
        do {
            return try await store.noteHistory.restore(note, version: nil, revision: nil)
        } catch let error as StorageError where error.code == .conflict {
            // It is there, or another note has its text.
            return false
        }
    }

    /// Forgets the former paths of notes that follow another file now. A note that found no file goes back.
    private func settle(_ restored: [StoredSourceFile], _ outcome: inout LookOutcome) async throws {
        guard !restored.isEmpty else { return }
        let names = restored.map { walk.absolute(FilePath($0.path)) }
        let left = Set(try await store.notes.ingested(names).map { ByteText($0.name) })
        let (back, moved) = (
            restored.filter { left.contains(ByteText(walk.absolute(FilePath($0.path)))) },
            restored.filter { !left.contains(ByteText(walk.absolute(FilePath($0.path)))) }
        )
        outcome.restored += moved.count
        try await room.forget(moved.map(\.path), of: source.id)
        _ = try await store.notes.removeIngested(back.map { walk.absolute(FilePath($0.path)) })
    }

    // MARK: Files that are gone

    private func remove(_ gone: [StoredSourceFile], _ outcome: inout LookOutcome) async throws {
        guard !gone.isEmpty else { return }
        let names = gone.map { walk.absolute(FilePath($0.path)) }
        var noted: Set<ByteText> = []
        for start in stride(from: 0, to: names.count, by: Self.maxBatch) {
            let part = Array(names[start..<min(start + Self.maxBatch, names.count)])
            noted.formUnion(try await store.notes.ingested(part).map { ByteText($0.name) })
        }
        let missing = gone.filter { $0.state == .there && noted.contains(ByteText(walk.absolute(FilePath($0.path)))) }
        if !source.acceptsMissing, missing.count > 0 {
            let now = try await room.now()
            let recent = try await room.removed(of: source.id, since: now - Self.goneTime, now: now)
            let all = try await room.figures(of: source).source.files + recent
            if missing.count + recent > Self.fewGone, (missing.count + recent) * Self.goneShare > all {
                outcome.missing = missing.count
                return
            }
        }
        // What has no note: it moved with its note, was never read, or a person deleted it.
        let noteless = gone.filter {
            $0.state == .there && !noted.contains(ByteText(walk.absolute(FilePath($0.path))))
        }
        try await room.forget(noteless.map(\.path), of: source.id)
        try await bin(missing + gone.filter { $0.state == .going }, &outcome)
    }

    /// Moves the notes of files to the bin. The rows say first that they are going, so that a note is never taken for one that a
    /// person deleted.
    private func bin(_ files: [StoredSourceFile], _ outcome: inout LookOutcome) async throws {
        for start in stride(from: 0, to: files.count, by: Self.maxBatch) {
            try Task.checkCancellation()
            var part = Array(files[start..<min(start + Self.maxBatch, files.count)])
            let names = part.map { walk.absolute(FilePath($0.path)) }
            let known = Dictionary(
                try await store.notes.ingested(names).map { (ByteText($0.name), $0) },
                uniquingKeysWith: { first, _ in first })
            for place in part.indices {
                part[place].state = .going
                guard let ingested = known[ByteText(names[place])] else { continue }
                part[place].note = ingested.note
                part[place].textHash = ingested.textHash.isEmpty ? nil : ingested.textHash
            }
            try await room.keep(part, of: source.id)
            let outcomes = Dictionary(
                try await store.notes.removeIngested(names).map { (ByteText($0.name), $0.outcome) },
                uniquingKeysWith: { first, _ in first })
            var forgotten: [String] = []
            var binned: [StoredSourceFile] = []
            for (file, name) in zip(part, names) {
                let result = outcomes[ByteText(name)] ?? .missing
                if result == .edited { outcome.edited.append(name) }
                if result == .removed { outcome.removed += 1 }
                var file = file
                switch result {
                case .removed, .missing:
                    file.state = file.note == nil && file.problem != nil ? .there : .gone
                    binned.append(file)
                case .edited, .shared:
                    if file.problem == nil {
                        forgotten.append(file.path)
                    } else {
                        (file.state, file.note, file.textHash) = (.there, nil, nil)
                        binned.append(file)
                    }
                }
            }
            try await room.keep(binned, of: source.id)
            try await room.forget(forgotten, of: source.id)
        }
    }
}
