import Cryptography
import Foundation
import GRDB
import GatewayAPI
import Machine

/// The files of a database's owner that are beside the database, within a backup.
///
/// A backup has them in a table, in parts, so that it stays one file. A restore takes them out again. Backups of earlier
/// versions have no such table.
struct BackupFiles {
    /// What becomes of the files of a database.
    struct Outcome: Sendable, Hashable {
        /// Books whose files were copied.
        var books = 0
        /// Bytes of all copied files.
        var bytes = 0
        /// Titles of books whose files are missing or damaged.
        var missing: [String] = []
    }

    /// Bytes of a part.
    private static let part = 1 << 20

    let work: CopyWork
    /// The database that the files belong to.
    let database: String
    /// The folder of the books' files.
    let books: String
    let progress: @Sendable (CopyProgress) -> Void

    private static let schema = """
        CREATE TABLE gateway_backup_files (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL
        );
        CREATE TABLE gateway_backup (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """

    private struct BookFile {
        var hash: Data
        var title: String
        var bytes: Int
        /// Whether its import failed or was cancelled; the file is there for another one.
        var isFailed: Bool
        var name: String { Hexadecimal.text(hash) }
    }

    private static func bookFiles(_ database: Database) throws -> [BookFile] {
        guard try database.tableExists("gateway_books") else { return [] }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT hash, title, file_bytes, state = 'failed' FROM gateway_books ORDER BY id")
        var found: [BookFile] = []
        while let row = try rows.next() {
            guard let hash = row.bytes(0), hash.count == 32 else { continue }
            found.append(
                BookFile(hash: hash, title: row.text(1) ?? "", bytes: row.count(2), isFailed: row.integer(3) == 1))
        }
        return found
    }

    // MARK: Backup

    /// Adds the files to a copy that nobody else has open.
    ///
    /// - Parameter withBooks: Whether to add the files of the books.
    func add(to copy: DatabaseQueue, withBooks: Bool) throws -> Outcome {
        var outcome = Outcome()
        try copy.writeWithoutTransaction { target in
            // A cancelled transaction rolls back the few pages that it changed, which memory holds.
            try target.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            try Self.drop(target)
            try target.execute(sql: Self.schema)
            let (before, files) = (try Self.size(target), try Self.bookFiles(target))
            let total = before + (withBooks ? files.reduce(0) { $0 + $1.bytes } : 0)
            for file in withBooks ? files : [] {
                let path = books + "/" + file.name
                try target.inTransaction {
                    let digest = try store("book", file.name, from: path, target) { done in
                        progress(CopyProgress(done: min(before + outcome.bytes + done, total), total: total))
                    }
                    guard let digest, digest.hash == file.hash else {
                        outcome.missing.append(file.title)
                        return .rollback
                    }
                    outcome.books += 1
                    outcome.bytes += digest.bytes
                    return .commit
                }
            }
            for name in Self.keyFiles(of: database) {
                try target.inTransaction {
                    outcome.bytes += try store("key", name, from: database + name, target) { _ in }?.bytes ?? 0
                    return .commit
                }
            }
            try target.execute(
                sql: "INSERT INTO gateway_backup VALUES ('format', '1'), ('books', ?)",
                arguments: [withBooks ? "included" : "left out"])
            try target.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        return outcome
    }

    /// The endings of the key files beside a database, which settings in the database name.
    private static func keyFiles(of database: String) -> [String] {
        let (folder, base) = (PrivateFile.parent(of: database), URL(filePath: database).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(base + "-apns-key-") && $0.hasSuffix(".p8") }.sorted()
            .map { String($0.dropFirst(base.count)) }
    }

    /// Stores a file in parts; nil when there is none.
    private func store(
        _ kind: String, _ name: String, from path: String, _ target: Database, _ progress: (Int) -> Void
    ) throws -> (hash: Data, bytes: Int)? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var (hash, bytes, part) = (SHA256(), 0, 0)
        while let chunk = try file.read(upToCount: Self.part), !chunk.isEmpty {
            try work.check()
            hash.update(data: chunk)
            try target.cachedStatement(
                sql: "INSERT INTO gateway_backup_files (kind, name, part, bytes) VALUES (?, ?, ?, ?)"
            ).execute(arguments: [kind, name, part, chunk])
            bytes += chunk.count
            part += 1
            if part.isMultiple(of: 4) { progress(bytes) }
        }
        return (Data(hash.finalize()), bytes)
    }

    // MARK: Restore

    /// Takes the files out of a copy of a backup and removes them from the copy.
    ///
    /// A file of a book that the backup lacks may be in the folder already: it counts as there when its bytes are right.
    /// - Parameters:
    ///   - needsBooks: Whether to refuse a backup when files of books are missing.
    ///   - written: Gets the path of each new file, for a restore that fails later.
    func takeOut(of copy: DatabaseQueue, needsBooks: Bool, written: inout [String]) throws -> Outcome {
        var (outcome, lost) = (Outcome(), [String]())
        let (hasTable, leftOut, all) = try copy.read { database in
            let hasTable = try database.tableExists("gateway_backup_files")
            let note =
                try hasTable
                ? Scalar.text(database, sql: "SELECT value FROM gateway_backup WHERE key = 'books'") : nil
            return (hasTable, note == "left out", try Self.bookFiles(database))
        }
        for file in all {
            let path = books + "/" + file.name
            let isThere = try Self.hash(of: path, work) == file.hash
            if isThere {
                outcome.books += 1
            } else if hasTable, let bytes = try take("book", file.name, to: path, file.hash, copy, &written) {
                outcome.books += 1
                outcome.bytes += bytes
                progress(CopyProgress(done: outcome.bytes, total: max(outcome.bytes, all.reduce(0) { $0 + $1.bytes })))
            } else {
                outcome.missing.append(file.title)
                // Backups of earlier versions lack the files of failed books.
                if !file.isFailed { lost.append(file.title) }
            }
        }
        if needsBooks, hasTable, !leftOut, !lost.isEmpty {
            let titles = lost.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
            throw StorageError(
                .corrupt,
                "the backup lacks the files of \(lost.count) of its \(all.count) books: \(titles); "
                    + "--without-books restores the rest, and their printed pages are missing then")
        }
        guard hasTable else { return outcome }
        let keys = try copy.read {
            try Scalar.texts(
                $0, sql: "SELECT name FROM gateway_backup_files WHERE kind = 'key' GROUP BY name ORDER BY name")
        }
        for name in keys where name.hasPrefix("-apns-key-") && name.hasSuffix(".p8") && !name.contains("/") {
            outcome.bytes += try take("key", name, to: database + name, nil, copy, &written) ?? 0
        }
        try copy.writeWithoutTransaction { target in
            // The copy is a file of this process until it gets its name. Its free pages are given back.
            try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = OFF")
            try Self.drop(target)
            try target.execute(sql: "VACUUM")
            try target.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        return outcome
    }

    private static func drop(_ database: Database) throws {
        try database.execute(
            sql: "DROP TABLE IF EXISTS gateway_backup_files; DROP TABLE IF EXISTS gateway_backup")
    }

    /// Writes a file of the backup; nil when the backup does not have it, or other bytes.
    private func take(
        _ kind: String, _ name: String, to path: String, _ hash: Data?, _ copy: DatabaseQueue,
        _ written: inout [String]
    ) throws -> Int? {
        try PrivateFile.createFolder(PrivateFile.parent(of: path))
        let partial = PrivateFile.parent(of: path) + "/.receive-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        guard PrivateFile.create(partial), let file = FileHandle(forWritingAtPath: partial) else {
            throw StorageError(.cannotOpen, "cannot create \(partial)")
        }
        defer {
            try? file.close()
            PrivateFile.remove(partial)
        }
        var (digest, bytes) = (SHA256(), 0)
        let count = try copy.read { database in
            let parts = try Row.fetchCursor(
                database, sql: "SELECT bytes FROM gateway_backup_files WHERE kind = ? AND name = ? ORDER BY part",
                arguments: [kind, name])
            var count = 0
            while let row = try parts.next() {
                try work.check()
                guard let chunk = row.bytes(0) else { return 0 }
                digest.update(data: chunk)
                try Self.write(chunk, to: file, partial)
                bytes += chunk.count
                count += 1
            }
            return count
        }
        guard count > 0, hash == nil || Data(digest.finalize()) == hash else { return nil }
        try PrivateFile.synchronise(partial)
        if !PrivateFile.exists(path) { written.append(path) }
        try PrivateFile.move(partial, over: path)
        return bytes
    }

    private static func write(_ chunk: Data, to file: FileHandle, _ path: String) throws {
        do {
            try file.write(contentsOf: chunk)
        } catch {
            let isFull = [ENOSPC, EDQUOT].contains(errno) || (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw StorageError(isFull ? .diskFull : .failed, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    private static func hash(of path: String, _ work: CopyWork) throws -> Data? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var hash = SHA256()
        while let chunk = try file.read(upToCount: part), !chunk.isEmpty {
            try work.check()
            hash.update(data: chunk)
        }
        return Data(hash.finalize())
    }

    private static func size(_ database: Database) throws -> Int {
        try Scalar.count(database, sql: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
            ?? 0
    }

    /// Gives a database that was moved aside files of its own: those that nothing needs are deleted from the folder later.
    static func keepBooks(of folder: String, for database: String) throws {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.utf8.count == 64
        }
        guard !names.isEmpty, folder != database + ".books" else { return }
        try PrivateFile.createFolder(database + ".books")
        for name in names {
            let (old, new) = (folder + "/" + name, database + ".books/" + name)
            if (try? FileManager.default.linkItem(atPath: old, toPath: new)) == nil {
                try FileManager.default.copyItem(atPath: old, toPath: new)
            }
        }
    }
}
