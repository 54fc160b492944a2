import Foundation
import GRDB

extension GatewayDatabase {
    /// Notes by id, in the order of the ids. Missing notes and those of test runs are left out.
    public func notes(ids: [Int64]) async throws -> [Note] {
        guard !ids.isEmpty else { return [] }
        let columns = columns
        return try await read { database in
            let marks = databaseQuestionMarks(count: ids.count)
            var threads: [Int64: [Note.ThreadName]] = [:]
            let threadRows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT tn.note_id AS note_id, t.id AS id, t.name AS name FROM thread_notes tn
                    JOIN threads t ON t.id = tn.thread_id WHERE tn.note_id IN (\(marks)) ORDER BY t.name, t.id
                    """, arguments: StatementArguments(ids))
            while let row = try threadRows.next() {
                threads[row["note_id"], default: []].append(.init(id: row["id"], name: row["name"] ?? ""))
            }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT n.id AS id, n.title AS title, n.content AS content, n.created_at AS created_at,
                        \(columns.raw("tags")) AS tags, \(columns.processed("note_type")) AS note_type,
                        \(columns.processed("actionability")) AS actionability,
                        \(columns.processed("primary_theme")) AS primary_theme,
                        \(columns.processed("concepts")) AS concepts
                    FROM raw_notes n LEFT JOIN processed_notes p ON p.note_id = n.id
                    WHERE n.id IN (\(marks)) AND \(columns.isShown)
                    """, arguments: StatementArguments(ids))
            var notes: [Int64: Note] = [:]
            while let row = try rows.next() {
                let id: Int64 = row["id"]
                notes[id] = Note(
                    id: id, title: row["title"] ?? "", content: row["content"] ?? "",
                    createdAt: row["created_at"] ?? "", noteType: row["note_type"],
                    actionability: row["actionability"], primaryTheme: row["primary_theme"],
                    concepts: StoredList.decode(row["concepts"]), tags: StoredList.decode(row["tags"]),
                    threads: threads[id] ?? [])
            }
            return ids.compactMap { notes[$0] }
        }
    }

    /// Whether there is any note with a text.
    public func hasNotesToEmbed() async throws -> Bool {
        let shown = columns.isShown
        return try await read { database in
            try Int.fetchOne(
                database,
                sql: "SELECT 1 FROM raw_notes n WHERE \(shown) AND trim(n.title || n.content) <> '' LIMIT 1") != nil
        }
    }

    /// How many notes there are, those of test runs left out.
    public func noteCount() async throws -> Int {
        let columns = columns
        return try await read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM raw_notes n WHERE \(columns.isShown)") ?? 0
        }
    }

    /// The names under which notes were ingested, by note id; a note without one is left out.
    public func externalIDs() async throws -> [Int64: String] {
        try await read { database in
            var names: [Int64: String] = [:]
            let rows = try Row.fetchCursor(database, sql: "SELECT note_id, external_id FROM gateway_note_sources")
            while let row = try rows.next() { names[row[0]] = row[1] }
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
