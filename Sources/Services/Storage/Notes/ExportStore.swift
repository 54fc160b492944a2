import Foundation
import GRDB

/// A file exported for a note.
package struct ExportedFile: Sendable, Hashable {
    /// The note's id.
    package var note: Int64
    /// The path relative to the export folder.
    package var path: String
    /// SHA-256 of the written bytes.
    package var hash: [UInt8]

    /// Creates a record.
    package init(note: Int64, path: String, hash: [UInt8]) {
        self.note = note
        self.path = path
        self.hash = hash
    }
}

/// Records the exported file of each note and its hash, by folder. An export skips files edited since.
///
/// The files are on this machine, so the records are in its file, also while the notes are in a database that several machines
/// share.
package struct ExportStore: Sendable {
    let database: GatewayDatabase

    /// Returns the files exported to a folder, by note.
    package func files(in folder: String, of notes: [Int64]) async throws -> [Int64: ExportedFile] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT note_id, path, hash FROM gateway_exports
                    WHERE folder = ? AND note_id IN (\(databaseQuestionMarks(count: notes.count)))
                    """, arguments: [folder] + StatementArguments(notes))
            return Dictionary(rows.compactMap(Self.file).map { ($0.note, $0) }) { _, last in last }
        }
    }

    /// Returns the exported files of notes in all folders, with their whole paths.
    package func files(of notes: [Int64]) async throws -> [ExportedFile] {
        try await database.read { database in
            var found: [ExportedFile] = []
            for start in stride(from: 0, to: notes.count, by: 500) {
                let part = Array(notes[start..<min(start + 500, notes.count)])
                found += try Row.fetchAll(
                    database,
                    sql: """
                        SELECT note_id, rtrim(folder, '/') || '/' || path AS path, hash FROM gateway_exports
                        WHERE note_id IN (\(databaseQuestionMarks(count: part.count)))
                        """, arguments: StatementArguments(part)
                ).compactMap(Self.file)
            }
            return found
        }
    }

    /// Returns the files exported to a folder, in the order of their notes, behind a note.
    package func files(in folder: String, after note: Int64, limit: Int) async throws -> [ExportedFile] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT note_id, path, hash FROM gateway_exports WHERE folder = ? AND note_id > ?
                    ORDER BY note_id LIMIT ?
                    """, arguments: [folder, note, limit]
            ).compactMap(Self.file)
        }
    }

    /// Records exported files, and marks their notes if the file has a column for that.
    ///
    /// - Parameter marksNotes: Whether the notes are in this file.
    /// - Throws: ``StorageError``.
    package func record(_ files: [ExportedFile], in folder: String, marksNotes: Bool) async throws {
        try await database.write { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            let now = try DateStyle.of(schema.rawNotes, "created_at", in: database).now
            for file in files {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO gateway_exports (folder, note_id, path, hash) VALUES (?, ?, ?, ?)",
                    arguments: [folder, file.note, file.path, Data(file.hash)])
                // Mark a note only once: each change of a row makes every reader reload the note.
                guard marksNotes, columns.raw.contains("exported_to_obsidian") else { continue }
                let time = columns.raw.contains("exported_at") ? ", exported_at = ?2" : ""
                try database.execute(
                    sql: """
                        UPDATE raw_notes SET exported_to_obsidian = 1\(time)
                        WHERE id = ?1 AND exported_to_obsidian IS NOT 1 AND ?2 IS NOT NULL
                        """, arguments: [file.note, now])
            }
        }
    }

    /// Deletes the records of notes' files.
    ///
    /// - Throws: ``StorageError``.
    package func forget(_ notes: [Int64], in folder: String) async throws {
        try await database.write { database in
            for note in notes {
                try database.execute(
                    sql: "DELETE FROM gateway_exports WHERE folder = ? AND note_id = ?", arguments: [folder, note])
            }
        }
    }

    private static func file(_ row: Row) -> ExportedFile? {
        guard let note = row.integer("note_id") else { return nil }
        return ExportedFile(
            note: note, path: row.text("path") ?? "", hash: Array(row.bytes("hash") ?? Data()))
    }
}
