import Foundation
import GRDB

extension GatewayDatabase {
    /// Notes by id, in the order of the ids. Missing notes and those of test runs are left out.
    ///
    /// - Parameter maxBytes: After so many bytes of text the rest of the notes is left out.
    public func notes(ids: [Int64], maxBytes: Int = 64 << 20) async throws -> [Note] {
        guard !ids.isEmpty else { return [] }
        return try await read { database, layout in
            var (notes, bytes) = ([Note](), 0)
            for start in stride(from: 0, to: ids.count, by: 8) where bytes < maxBytes {
                let part = Array(ids[start..<min(start + 8, ids.count)])
                for note in try Self.loadNotes(database, layout.columns, part) {
                    bytes += note.bytes
                    notes.append(note)
                }
            }
            return notes
        }
    }

    /// The same within a transaction.
    static func loadNotes(_ database: Database, _ columns: NoteColumns, _ ids: [Int64]) throws -> [Note] {
        let marks = databaseQuestionMarks(count: ids.count)
        let threads = try threadNames(database, columns, ids)
        let rows = try Row.fetchCursor(
            database,
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
                    \(columns.boundedProcessed("energy_level")) AS energy_level
                FROM raw_notes n LEFT JOIN processed_notes p ON \(columns.processedJoin)
                WHERE n.id IN (\(marks)) AND \(columns.isShown)
                """, arguments: StatementArguments(ids))
        var notes: [Int64: Note] = [:]
        while let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            notes[id] = Note(
                id: id, title: row.text("title") ?? "", content: row.text("content") ?? "",
                createdAt: row.date("created_at") ?? "", noteType: row.text("note_type"),
                actionability: row.text("actionability"), primaryTheme: row.text("primary_theme"),
                concepts: StoredList.decode(row.text("concepts")), conceptConfidence: row.text("concept_confidence"),
                secondaryThemes: StoredList.decode(row.text("secondary_themes")),
                overallSentiment: row.text("overall_sentiment"), sentimentScore: row.real("sentiment_score"),
                emotionalTone: row.text("emotional_tone"), energyLevel: row.text("energy_level"),
                tags: StoredList.decode(row.text("tags")), threads: threads[id] ?? [])
        }
        return ids.compactMap { notes[$0] }
    }

    private static func threadNames(
        _ database: Database, _ columns: NoteColumns, _ ids: [Int64]
    ) throws -> [Int64: [Note.ThreadName]] {
        guard columns.hasThreads, let note = columns.threadNote, columns.threads.isSuperset(of: ["id", "name"]) else {
            return [:]
        }
        var threads: [Int64: [Note.ThreadName]] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT DISTINCT tn.\(note) AS note_id, t.id AS id, \(ValueLimit.bounded("t.name")) AS name FROM thread_notes tn
                JOIN threads t ON t.id = tn.thread_id
                WHERE tn.\(note) IN (\(databaseQuestionMarks(count: ids.count))) AND typeof(tn.\(note)) = 'integer'
                    AND typeof(t.id) = 'integer'
                ORDER BY name, t.id
                """, arguments: StatementArguments(ids))
        while let row = try rows.next() {
            guard let note = row.integer("note_id"), let thread = row.integer("id") else { continue }
            threads[note, default: []].append(.init(id: thread, name: row.text("name") ?? ""))
        }
        return threads
    }

    /// Whether there is any note with a text.
    public func hasNotesToEmbed() async throws -> Bool {
        try await read { database, layout in
            let columns = layout.columns
            return try Scalar.count(
                database,
                sql: "SELECT 1 FROM raw_notes n WHERE \(columns.isShown) AND \(columns.embeddedText) <> '' LIMIT 1")
                != nil
        }
    }

    /// How many notes there are, those of test runs left out.
    public func noteCount() async throws -> Int {
        try await read { database, layout in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM raw_notes n WHERE \(layout.columns.isShown)") ?? 0
        }
    }

    /// The names under which notes were ingested, by note id; a note without one is left out.
    public func externalIDs() async throws -> [Int64: String] {
        try await read { database in
            var names: [Int64: String] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT note_id, external_id FROM gateway_note_sources")
            while let row = try rows.next() {
                if let note = row.integer(0), let name = row.text(1) { names[note] = name }
            }
            return names
        }
    }
}

/// Lists in text columns: a JSON array, or words between commas, as different writers left them.
enum StoredList {
    static func decode(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        if text.utf8.first == UInt8(ascii: "[") {
            if let list = plainJSON(text) { return list }
            if let list = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) { return list }
        }
        return text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// A JSON array of strings without escapes, as nearly all are, without the cost of a decoder for each note; nil
    /// for anything else.
    private static func plainJSON(_ text: String) -> [String]? {
        var list: [String] = []
        var rest = text.utf8.dropFirst()
        func skipSpaces() { rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }
        while true {
            skipSpaces()
            guard rest.popFirst() == UInt8(ascii: "\""),
                let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }),
                rest[end] == UInt8(ascii: "\"")
            else { return nil }
            list.append(String(Substring(rest[..<end])))
            rest = rest[end...].dropFirst()
            skipSpaces()
            switch rest.popFirst() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"):
                skipSpaces()
                return rest.isEmpty ? list : nil
            default: return nil
            }
        }
    }

    static func encode(_ list: [String]) -> String? {
        guard !list.isEmpty, let data = try? JSONEncoder().encode(list) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

/// `?,?,…` for an SQL list.
func databaseQuestionMarks(count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ",")
}
