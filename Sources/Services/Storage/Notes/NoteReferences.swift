import GRDB

/// Deletes or clears rows of other tables that refer to a note. Our connections do not enforce references, so this
/// follows the foreign keys that the tables declare.
enum NoteReferences {
    /// The maximum depth of cascading references.
    private static let maxDepth = 4

    /// Deletes the rows that the notes API deletes with a note, then follows other tables' references.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when a table forbids deleting a note that its rows refer to; the
    ///   message names the table.
    static func delete(of id: Int64, _ database: Database, _ layout: FileLayout) throws {
        var own: [(table: String, column: String)] = []
        if let note = layout.columns.processedNote { own.append(("processed_notes", note)) }
        if let note = layout.columns.threadNote { own.append(("thread_notes", note)) }
        for column in ["note_a_id", "note_b_id"] where layout.schema.associations.names.contains(column) {
            own.append(("note_associations", column))
        }
        for (table, column) in own {
            try database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id])
        }
        try follow("raw_notes", where: "id = ?1", of: id, try References(database), database, depth: 0)
    }

    /// Applies the `ON DELETE` actions of references to a table's rows before those rows are deleted.
    private static func follow(
        _ parent: String, where condition: String, of note: Int64, _ references: References, _ database: Database,
        depth: Int
    ) throws {
        for reference in references.to(parent) {
            let child = reference.table.quotedDatabaseIdentifier
            let parents = reference.to.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
            let columns = reference.from.map(\.quotedDatabaseIdentifier)
            // A reference that contains NULL refers to nothing, and `IN` is not true for it.
            let match = """
                (\(columns.joined(separator: ", "))) IN
                (SELECT \(parents) FROM \(parent.quotedDatabaseIdentifier) WHERE \(condition))
                """
            switch reference.action {
            case "SET NULL":
                let values = columns.map { "\($0) = NULL" }.joined(separator: ", ")
                try database.execute(sql: "UPDATE \(child) SET \(values) WHERE \(match)", arguments: [note])
            case "CASCADE" where depth < maxDepth:
                try follow(reference.table, where: match, of: note, references, database, depth: depth + 1)
                try database.execute(sql: "DELETE FROM \(child) WHERE \(match)", arguments: [note])
            default:
                let found = try Row.fetchOne(
                    database, sql: "SELECT 1 FROM \(child) WHERE \(match) LIMIT 1", arguments: [note])
                guard found == nil else {
                    throw StorageError(
                        .conflict,
                        "note \(note) cannot be deleted: rows of the table \"\(reference.table)\" refer to it, and that "
                            + "table says ON DELETE \(reference.action); delete those rows first")
                }
            }
        }
    }
}

/// The foreign keys that the tables of a file declare.
private struct References {
    struct Reference {
        var table: String
        var parent: String
        var action: String
        var from: [String] = []
        var to: [String] = []
    }

    private let all: [Reference]

    init(_ database: Database) throws {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT m.name, f.id, f."table", f."from", f."to", f.on_delete
                FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
                WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                ORDER BY m.name, f.id, f.seq
                """)
        var found: [(key: String, reference: Reference)] = []
        for row in rows {
            guard let table = row.text(0), let parent = row.text(2), let from = row.text(3) else { continue }
            let key = "\(row.count(1)) \(table)"
            if found.last?.key != key {
                found.append((key, Reference(table: table, parent: parent, action: row.text(5) ?? "NO ACTION")))
            }
            found[found.count - 1].reference.from.append(from)
            // A reference without a column refers to the primary key.
            if let to = row.text(4) { found[found.count - 1].reference.to.append(to) }
        }
        all = try found.map { key, reference in
            guard reference.to.isEmpty else { return reference }
            var reference = reference
            reference.to = try Scalar.texts(
                database, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
                arguments: [reference.parent])
            return reference
        }.filter { $0.from.count == $0.to.count }
    }

    /// Returns the references to a table, those that may forbid deletion first.
    func to(_ parent: String) -> [Reference] {
        let found = all.filter { $0.parent.lowercased() == parent.lowercased() }
        let mayForbid = { (reference: Reference) in reference.action != "CASCADE" && reference.action != "SET NULL" }
        return found.filter(mayForbid) + found.filter { !mayForbid($0) }
    }
}
