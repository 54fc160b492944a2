package import GatewayAPI
import Storage
import Text

import Foundation

/// Reading notes.
extension PostgresNotes {
    /// Reads records by id, in the order of their ids.
    ///
    /// - Parameter isLocked: Whether to lock the rows until the end of the transaction.
    static func records(
        _ ids: [Int64], isLocked: Bool = false, _ connection: PostgresConnection
    ) async throws -> [NoteRecord] {
        let rows = try await connection.run(
            """
            SELECT id, title, content, created_at, note_type, actionability, tags, source, hidden, extra
            FROM notes WHERE id = ANY ($1) ORDER BY id \(isLocked ? "FOR UPDATE" : "")
            """, [.integers(ids)])
        let names = try await connection.run(
            "SELECT note_id, external_id FROM note_sources WHERE note_id = ANY ($1)", [.integers(ids)])
        var sources: [Int64: [String]] = [:]
        for row in names.indices {
            guard let id = names.integer(row, 0), let name = names.text(row, 1) else { continue }
            sources[id, default: []].append(name)
        }
        let joined = try await connection.run(
            """
            SELECT tn.note_id, t.id, t.name FROM thread_notes tn JOIN threads t ON t.id = tn.thread_id
            WHERE tn.note_id = ANY ($1) ORDER BY t.name COLLATE "C", t.id
            """, [.integers(ids)])
        var threads: [Int64: [NoteRecord.Thread]] = [:]
        for row in joined.indices {
            guard let id = joined.integer(row, 0), let thread = joined.integer(row, 1) else { continue }
            threads[id, default: []].append(.init(id: thread, name: joined.text(row, 2) ?? ""))
        }
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0) else { return nil }
            return NoteRecord(
                id: id, title: rows.text(row, 1) ?? "", content: rows.text(row, 2) ?? "",
                createdAt: rows.text(row, 3) ?? "", noteType: rows.text(row, 4), actionability: rows.text(row, 5),
                tags: rows.texts(row, 6) ?? [], threads: threads[id] ?? [],
                externalIDs: NoteRecord.ordered(sources[id] ?? []),
                source: rows.text(row, 7), isHidden: rows.bool(row, 8) ?? false, extra: rows.text(row, 9))
        }
    }

    /// Returns notes by id, in the order of `ids`, up to a size. Missing notes and those of test runs are left out.
    package func find(ids: [Int64], maxBytes: Int) async throws -> [Note] {
        guard !ids.isEmpty else { return [] }
        let records = try await store.read { try await Self.records(ids, $0) }
        let notes = Dictionary(records.filter { !$0.isHidden }.map { ($0.id, $0.note) }) { first, _ in first }
        var bytes = 0
        return ids.compactMap { notes[$0] }.prefix { note in
            defer { bytes += note.title.utf8.count + note.content.utf8.count }
            return bytes < maxBytes
        }
    }

    /// A thread's name as names are compared.
    static func foldedName(_ name: String) -> String {
        TextFolding.folded(name.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

extension NoteRecord {
    /// The note as the API has it.
    var note: Note {
        var note = Note(
            id: id, title: title, content: content, createdAt: createdAt, noteType: noteType,
            actionability: actionability, tags: tags, threads: threads.map { .init(id: $0.id, name: $0.name) })
        note.externalId = externalIDs.first
        guard let columns = ExtraColumns(extra) else {
            return note
        }
        columns.apply(to: &note)
        return note
    }
}
