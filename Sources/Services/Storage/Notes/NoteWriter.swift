import Foundation
import GRDB
import GatewayAPI

/// Writes drafts within a transaction.
struct NoteWriter {
    let database: Database
    let columns: NoteColumns
    /// The date format of new notes.
    let dateStyle: DateStyle
    /// The time of the writes, in that format and in that of imports.
    private let now: (created: String, imported: String)
    /// The columns of new notes that the table has.
    private let written: [NoteColumn]
    private let hasHash: Bool
    let statements: NoteStatements
    /// Keeps what notes were before a draft changes them; nil where no draft does.
    private let versions: NoteVersions?

    private enum NoteColumn: String, CaseIterable {
        case title, content, created_at, content_hash, source_type, word_count, character_count, tags, imported_at,
            status
    }

    init(
        database: Database, columns: NoteColumns, dateStyle: DateStyle = .spaced, versions: NoteVersions? = nil
    ) {
        self.versions = versions
        self.database = database
        self.columns = columns
        self.dateStyle = dateStyle
        now = (dateStyle.now, Timestamp.now)
        written = NoteColumn.allCases.filter { columns.raw.contains($0.rawValue) }
        hasHash = columns.raw.contains("content_hash")
        statements = NoteStatements(database, written: written.map(\.rawValue))
    }

    func store(_ draft: NoteDraft, into outcome: inout InsertOutcome) throws {
        if let name = draft.externalID {
            try store(draft, named: name, into: &outcome)
        } else if try duplicate(of: draft) != nil {
            outcome.unchanged += 1
        } else {
            _ = try insertOrFind(draft, into: &outcome)
        }
    }

    func hash(_ draft: NoteDraft) -> String {
        Hexadecimal.text(ContentHash.of(title: draft.title, content: draft.content))
    }

    func duplicate(of draft: NoteDraft) throws -> Int64? {
        guard hasHash else { return nil }
        let finding = try statements[.hashed]
        try finding.bind(hash(draft), at: 1)
        return try finding.integer()
    }

    func insert(_ draft: NoteDraft) throws -> Int64 {
        let sizes = TextSizes(draft.content)
        let insertion = try statements[.insertion]
        for (index, column) in zip(Int32(1)..., written) {
            switch column {
            case .title: try insertion.bind(draft.title, at: index)
            case .content: try insertion.bind(draft.content, at: index)
            case .created_at: try insertion.bind(draft.createdAt.map(dateStyle.text) ?? now.created, at: index)
            case .content_hash: try insertion.bind(hash(draft), at: index)
            case .source_type: try insertion.bind(draft.source, at: index)
            case .word_count: try insertion.bind(Int64(sizes.words), at: index)
            case .character_count: try insertion.bind(Int64(sizes.characters), at: index)
            case .tags: try insertion.bind(StoredList.encode(draft.tags), at: index)
            case .imported_at: try insertion.bind(now.imported, at: index)
            case .status: try insertion.bind("pending", at: index)
            }
        }
        try insertion.run()
        let id = database.lastInsertedRowID
        try setProcessed(of: id, draft)
        try join(id, draft)
        return id
    }

    func update(_ id: Int64, with draft: NoteDraft) throws -> Bool {
        try keepVersion(of: id, before: draft)
        let before = database.totalChangesCount
        let updating = try statements[.text]
        try updating.bind(draft.title, at: 1)
        try updating.bind(draft.content, at: 2)
        try updating.bind(draft.createdAt.map(Timestamp.text), at: 3)
        try updating.bind(id, at: 4)
        try updating.run()
        if database.changesCount > 0, hasHash {
            try database.execute(
                sql: "UPDATE OR IGNORE raw_notes SET content_hash = ? WHERE id = ?", arguments: [hash(draft), id])
        }
        if columns.raw.contains("tags") {
            let tagging = try statements[.tags]
            try tagging.bind(StoredList.encode(draft.tags), at: 1)
            try tagging.bind(id, at: 2)
            try tagging.run()
        }
        try setProcessed(of: id, draft)
        try join(id, draft)
        return database.totalChangesCount > before
    }

    /// Keeps the note as a version when the draft has another title, text or tags.
    private func keepVersion(of id: Int64, before draft: NoteDraft) throws {
        guard let versions else { return }
        let finding = try statements[columns.raw.contains("tags") ? .differing : .differingText]
        try finding.bind(id, at: 1)
        try finding.bind(draft.title, at: 2)
        try finding.bind(draft.content, at: 3)
        if columns.raw.contains("tags") { try finding.bind(StoredList.encode(draft.tags), at: 4) }
        guard try finding.integer() != nil, let record = try versions.record(id) else { return }
        try versions.keep(record, .ingested)
    }

    /// Writes the draft's own kind and actionability, and keeps the rest of the analysis.
    func setProcessed(of id: Int64, _ draft: NoteDraft) throws {
        guard draft.noteType != nil || draft.actionability != nil else { return }
        let values = [("note_type", draft.noteType), ("actionability", draft.actionability)].filter {
            $0.1 != nil && columns.processed.contains($0.0)
        }
        guard !values.isEmpty, let note = columns.processedNote else { return }
        try ensureProcessed(id)
        for (column, value) in values {
            try database.cachedStatement(
                sql: "UPDATE processed_notes SET \(column) = ?1 WHERE \(note) = ?2 AND \(column) IS NOT ?1"
            ).execute(arguments: [value, id])
        }
    }

    /// Ensures that the note has a row in `processed_notes`.
    func ensureProcessed(_ id: Int64) throws {
        guard let note = columns.processedNote else { return }
        let finding = try database.cachedStatement(sql: "SELECT 1 FROM processed_notes WHERE \(note) = ?")
        if try Row.fetchOne(finding, arguments: [id]) == nil {
            try database.cachedStatement(sql: "INSERT INTO processed_notes (\(note)) VALUES (?)")
                .execute(arguments: [id])
        }
    }

    func join(_ id: Int64, _ draft: NoteDraft) throws {
        guard let note = columns.threadNote else { return }
        for name in draft.threads where !name.isEmpty {
            let known = try database.cachedStatement(sql: "SELECT id FROM threads WHERE name = ? ORDER BY id")
            var thread = try Row.fetchOne(known, arguments: [name])?.integer(0)
            if thread == nil {
                thread = try makeThread(name)
            }
            let finding = try database.cachedStatement(
                sql: "SELECT 1 FROM thread_notes WHERE thread_id = ? AND \(note) = ?")
            if try Row.fetchOne(finding, arguments: [thread, id]) == nil {
                try database.cachedStatement(sql: "INSERT INTO thread_notes (thread_id, \(note)) VALUES (?, ?)")
                    .execute(arguments: [thread, id])
            }
        }
    }

    /// Makes a thread that knows since when it is there, where the table has a place for it. Returns its id.
    private func makeThread(_ name: String) throws -> Int64 {
        let table = try TableColumns(database, "threads")
        guard table.names.contains("created_at") else {
            try database.execute(
                sql: "INSERT INTO threads (name, status) VALUES (?, 'active')", arguments: [name])
            return database.lastInsertedRowID
        }
        try database.execute(
            sql: "INSERT INTO threads (name, status, created_at) VALUES (?, 'active', ?)",
            arguments: [name, try DateStyle.of(table, "created_at", in: database).now])
        return database.lastInsertedRowID
    }
}
