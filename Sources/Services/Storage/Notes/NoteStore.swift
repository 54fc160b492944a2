import GRDB
package import GatewayAPI

/// Reads and writes notes: `raw_notes`, their analysis, and the names of their threads.
package struct NoteStore: Sendable {
    let database: GatewayDatabase

    /// Returns notes by id, in the order of `ids`. Missing notes and those of test runs are left out.
    ///
    /// - Parameter maxBytes: Stops loading after this many bytes of text.
    package func find(ids: [Int64], maxBytes: Int = 64 << 20) async throws -> [Note] {
        guard !ids.isEmpty else { return [] }
        return try await database.read { database, layout in
            var (notes, bytes) = ([Note](), 0)
            for start in stride(from: 0, to: ids.count, by: 8) where bytes < maxBytes {
                let part = Array(ids[start..<min(start + 8, ids.count)])
                for note in try Self.load(database, layout.columns, part) {
                    bytes += note.bytes
                    notes.append(note)
                }
            }
            return notes
        }
    }

    /// Loads notes within a transaction.
    static func load(_ database: Database, _ columns: NoteColumns, _ ids: [Int64]) throws -> [Note] {
        let marks = databaseQuestionMarks(count: ids.count)
        let threads = try threadNames(database, columns, ids)
        let rows = try Row.fetchCursor(
            try database.cachedStatement(
                sql: """
                    SELECT n.id AS id, \(columns.boundedRaw("title")) AS title,
                        \(columns.boundedRaw("content")) AS content, \(columns.boundedRaw("created_at")) AS created_at,
                        \(columns.boundedRaw("tags")) AS tags, \(columns.boundedProcessed("note_type")) AS note_type,
                        \(columns.boundedProcessed("actionability")) AS actionability,
                        \(columns.boundedProcessed("primary_theme")) AS primary_theme,
                        \(columns.boundedProcessed("concepts")) AS concepts,
                        \(columns.boundedProcessed("concept_confidence")) AS concept_confidence,
                        \(columns.boundedProcessed("secondary_themes")) AS secondary_themes,
                        \(columns.boundedProcessed("overall_sentiment")) AS overall_sentiment,
                        \(columns.boundedProcessed("sentiment_score")) AS sentiment_score,
                        \(columns.boundedProcessed("emotional_tone")) AS emotional_tone,
                        \(columns.boundedProcessed("energy_level")) AS energy_level,
                        (SELECT min(external_id) FROM gateway_note_sources s WHERE s.note_id = n.id) AS external_id
                    FROM raw_notes n LEFT JOIN processed_notes p ON \(columns.processedJoin)
                    WHERE n.id IN (\(marks)) AND \(columns.isShown)
                    """), arguments: StatementArguments(ids))
        var notes: [Int64: Note] = [:]
        while let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            var note = Note(
                id: id, title: row.text("title") ?? "", content: row.text("content") ?? "",
                createdAt: row.date("created_at") ?? "", noteType: row.text("note_type"),
                actionability: row.text("actionability"), primaryTheme: row.text("primary_theme"),
                concepts: StoredList.decode(row.text("concepts")), tags: StoredList.decode(row.text("tags")),
                threads: threads[id] ?? [])
            note.conceptConfidence = row.text("concept_confidence").flatMap { text in
                (try? JSONDocument(parsing: Array(text.utf8)))?.value
            }
            let themes = StoredList.decode(row.text("secondary_themes"))
            note.secondaryThemes = themes.isEmpty ? nil : themes
            note.overallSentiment = row.text("overall_sentiment")
            note.sentimentScore = row.real("sentiment_score")
            note.emotionalTone = row.text("emotional_tone")
            note.energyLevel = row.text("energy_level")
            note.externalId = row.text("external_id")
            notes[id] = note
        }
        return ids.compactMap { notes[$0] }
    }

    private static func threadNames(
        _ database: Database, _ columns: NoteColumns, _ ids: [Int64]
    ) throws -> [Int64: [Note.ThreadReference]] {
        guard columns.hasThreads, let note = columns.threadNote, columns.threads.isSuperset(of: ["id", "name"]) else {
            return [:]
        }
        var threads: [Int64: [Note.ThreadReference]] = [:]
        let rows = try Row.fetchCursor(
            try database.cachedStatement(
                sql: """
                    SELECT DISTINCT tn.\(note) AS note_id, t.id AS id, \(ValueLimit.bounded("t.name")) AS name FROM thread_notes tn
                    JOIN threads t ON t.id = tn.thread_id
                    WHERE tn.\(note) IN (\(databaseQuestionMarks(count: ids.count))) AND typeof(tn.\(note)) = 'integer'
                        AND typeof(t.id) = 'integer'
                    ORDER BY name, t.id
                    """), arguments: StatementArguments(ids))
        while let row = try rows.next() {
            guard let note = row.integer("note_id"), let thread = row.integer("id") else { continue }
            threads[note, default: []].append(.init(id: thread, name: row.text("name") ?? ""))
        }
        return threads
    }

    /// Whether any visible note has text to embed.
    package func hasTextToEmbed() async throws -> Bool {
        try await database.read { database, layout in
            let columns = layout.columns
            return try Scalar.count(
                database,
                sql: "SELECT 1 FROM raw_notes n WHERE \(columns.isShown) AND \(columns.embeddedText) <> '' LIMIT 1")
                != nil
        }
    }

    /// Counts the notes, without those of test runs.
    package func count() async throws -> Int {
        try await database.read { database, layout in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM raw_notes n WHERE \(layout.columns.isShown)") ?? 0
        }
    }

    /// Returns the notes that have an external id, by that id; see ``NoteDraft/externalID``.
    package func byExternalID() async throws -> [String: Int64] {
        try await database.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT external_id, note_id FROM gateway_note_sources")
            var notes: [String: Int64] = [:]
            while let row = try rows.next() {
                if let name = row.text(0), let note = row.integer(1) { notes[name] = note }
            }
            return notes
        }
    }
}

extension Note {
    /// The approximate memory of the note in bytes.
    var bytes: Int { title.utf8.count + content.utf8.count + 512 }
}
