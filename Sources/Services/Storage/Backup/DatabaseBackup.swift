import Foundation
import GRDB

/// A backup of a notes database: one file with all that the database held at one moment, written while it is in use.
///
/// Index files and cached embeddings are left out; both can be made again.
public struct DatabaseBackup: Sendable {
    /// What a backup holds.
    public struct Summary: Sendable, Hashable {
        /// The file.
        public var path: String
        /// Its bytes.
        public var bytes: Int
        /// Notes in it.
        public var notes: Int
    }

    /// The database.
    public var source: String
    /// The file to write.
    public var target: String
    /// Whether a file with the target's name may be replaced.
    public var replaces: Bool

    /// Creates a backup that is still to be made.
    public init(of source: String, to target: String, replaces: Bool = false) {
        self.source = source
        self.target = target
        self.replaces = replaces
    }

    /// Writes the backup beside its name, checks it, synchronises it to the disk and renames it. A cancelled or failed
    /// run leaves nothing behind.
    ///
    /// - Parameter progress: Called after each 4 MiB or so, on a thread of its own.
    /// - Throws: ``StorageError``: `notFound` without a database, `conflict` when the target exists, `newerVersion`,
    ///   `corrupt`, `diskFull`; `CancellationError`.
    public func run(progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }) async throws -> Summary {
        try await CopyWork.run { try write($0, progress) }
    }

    private func write(_ work: CopyWork, _ progress: @escaping @Sendable (CopyProgress) -> Void) throws -> Summary {
        try DatabaseFile.checkHeader(source)
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: target, isDirectory: &isFolder), isFolder.boolValue {
            throw StorageError(.invalid, "\(target) is a folder; the path of the backup file is expected")
        }
        guard replaces || !PrivateFile.exists(target) else {
            throw StorageError(.conflict, "\(target) exists already; give another name, or --force to replace it")
        }
        guard !PrivateFile.isSame(source, target) else {
            throw StorageError(.invalid, "\(target) is the database itself; give the backup another name")
        }
        let copied = try work.with(source, isReadOnly: true) { queue in
            try queue.read { try WriterVersion.check($0, path: source) }
            return try DatabaseCopy(work: work, source: queue, progress: progress).install(as: target) { copy in
                try DatabaseFile.checkNotes(copy, path: "the backup of \(source)")
            } place: { partial in
                if replaces {
                    try PrivateFile.move(partial, over: target)
                } else {
                    try PrivateFile.move(partial, toNew: target)
                }
            }
        }
        return Summary(path: target, bytes: copied.bytes, notes: copied.notes)
    }
}
