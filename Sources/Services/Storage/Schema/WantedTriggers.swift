import GRDB

/// A trigger of ours as SQLite stores it.
struct TriggerDefinition: Sendable, Hashable {
    let name: String
    /// The whole statement, as in `sqlite_master`.
    let sql: String

    init(_ name: String, _ event: String, on table: String, when condition: String? = nil, _ body: String...) {
        self.name = name
        let condition = condition.map { " WHEN \($0)" } ?? ""
        sql =
            "CREATE TRIGGER \(name) AFTER \(event) ON \(table)\(condition) BEGIN\n" + body.joined(separator: "\n")
            + "\nEND"
    }
}

/// The triggers that a file needs. A migration creates them; they are compared with the file whenever its schema
/// changes.
///
/// The triggers never make a write of the other program fail, whatever value, NULL or conflict clause it has:
/// - They name no column of `raw_notes` and `conversation_memories` except `id`, and of `conversations` only `id` and
///   `session_id`, so that any other column can be dropped or renamed.
/// - They process integers only.
/// - They delete before they insert, since the conflict clause of the firing statement overrides theirs.
struct WantedTriggers: Sendable {
    /// The triggers, ordered by name.
    let all: [TriggerDefinition]

    /// All trigger names of this and earlier versions.
    static let knownNames: Set<String> = Set(
        ["note_deleted", "note_moved", "embedding_deleted", "changes_trim"].map { "gateway_" + $0 }
            + ["note", "processed", "thread", "vector", "queue", "message"].flatMap { subject in
                ["in", "up", "out"].map { "gateway_\(subject)_\($0)" }
            }
    ).union(GoalTriggers.names).union(MemoryLog.names)

    init(_ layout: FileLayout) {
        var wanted = Self.own
        let columns = layout.columns
        if columns.notes.takesTriggers, columns.raw.contains("id") { wanted += Self.notes }
        if layout.schema.processed.takesTriggers, let note = columns.processedNote {
            wanted += Self.references("processed", in: "processed_notes", by: note)
        }
        if layout.schema.threadNotes.takesTriggers, let note = columns.threadNote {
            wanted += Self.references("thread", in: "thread_notes", by: note)
        }
        if SessionMessageIndex.isKept(for: layout.schema) { wanted += SessionMessageIndex.triggers }
        if MemoryLog.isKept(for: layout.schema) { wanted += MemoryLog.triggers }
        wanted += GoalTriggers.all(layout.schema.goals)
        all = wanted.sorted { $0.name < $1.name }
    }

    /// Triggers on our own tables.
    private static var own: [TriggerDefinition] {
        func isAnswering(_ row: String) -> String {
            "\(row).space_id = (SELECT CAST(value AS INTEGER) FROM gateway_meta WHERE key = 'active_space')"
        }
        return [
            TriggerDefinition(
                "gateway_changes_trim", "INSERT", on: "gateway_changes",
                "DELETE FROM gateway_changes WHERE seq <= NEW.seq - 200000;"),
            TriggerDefinition(
                "gateway_embedding_deleted", "DELETE", on: "gateway_embeddings",
                "DELETE FROM gateway_passages WHERE space_id = OLD.space_id AND note_id = OLD.note_id;"),
            // Vectors of an inactive space change nothing for readers.
            TriggerDefinition(
                "gateway_vector_in", "INSERT", on: "gateway_embeddings", when: isAnswering("NEW"), log("NEW.note_id")),
            TriggerDefinition(
                "gateway_vector_up", "UPDATE", on: "gateway_embeddings", when: isAnswering("NEW"), log("NEW.note_id")),
            TriggerDefinition(
                "gateway_vector_out", "DELETE", on: "gateway_embeddings", when: isAnswering("OLD"), log("OLD.note_id")),
        ]
    }

    /// Triggers on the notes: they keep the change log and the queue, and delete a note's dependent rows.
    private static var notes: [TriggerDefinition] {
        let enqueue = """
            DELETE FROM gateway_embedding_queue WHERE note_id = NEW.id;
            INSERT INTO gateway_embedding_queue (space_id, note_id)
            SELECT id, NEW.id FROM gateway_spaces WHERE is_filled = 1 AND typeof(NEW.id) = 'integer';
            """
        let forget = """
            DELETE FROM gateway_embeddings WHERE note_id = OLD.id;
            DELETE FROM gateway_note_sources WHERE note_id = OLD.id;
            """
        let dequeue = "DELETE FROM gateway_embedding_queue WHERE note_id = OLD.id;"
        return [
            TriggerDefinition("gateway_note_in", "INSERT", on: "raw_notes", log("NEW.id")),
            TriggerDefinition("gateway_note_up", "UPDATE", on: "raw_notes", log("NEW.id")),
            TriggerDefinition("gateway_note_out", "DELETE", on: "raw_notes", log("OLD.id")),
            TriggerDefinition("gateway_note_deleted", "DELETE", on: "raw_notes", forget),
            TriggerDefinition(
                "gateway_note_moved", "UPDATE OF id", on: "raw_notes", when: "NEW.id IS NOT OLD.id", forget, dequeue,
                log("OLD.id")),
            TriggerDefinition("gateway_queue_in", "INSERT", on: "raw_notes", enqueue),
            // Every update enqueues, since naming columns would keep the other program from dropping them.
            TriggerDefinition("gateway_queue_up", "UPDATE", on: "raw_notes", enqueue),
            TriggerDefinition("gateway_queue_out", "DELETE", on: "raw_notes", dequeue),
        ]
    }

    /// Triggers on a table whose rows belong to notes.
    private static func references(_ name: String, in table: String, by column: String) -> [TriggerDefinition] {
        [
            TriggerDefinition("gateway_\(name)_in", "INSERT", on: table, log("NEW.\(column)")),
            TriggerDefinition("gateway_\(name)_up", "UPDATE", on: table, log("OLD.\(column)"), log("NEW.\(column)")),
            TriggerDefinition("gateway_\(name)_out", "DELETE", on: table, log("OLD.\(column)")),
        ]
    }

    private static func log(_ note: String) -> String {
        "INSERT INTO gateway_changes (note_id) SELECT \(note) WHERE typeof(\(note)) = 'integer';"
    }
}
