import Concurrency
import Retrieval
import Storage

/// The stored form of notes for the keyword leg.
extension PostgresNotes {
    /// A note's rows of `note_words`.
    struct Worded: Sendable {
        var id: Int64
        var created: Int64
        var text: IndexedText
    }

    /// What is kept of notes for the keyword leg. Large texts are cut off the cooperative pool.
    static func indexed(_ records: [NoteRecord]) async throws -> [IndexedText] {
        try await indexed(records.map { (title: $0.title, content: $0.content) })
    }

    static func indexed(_ texts: [(title: String, content: String)]) async throws -> [IndexedText] {
        try await LargeWork.shared.run(
            over: texts.reduce(0) { $0 + $1.content.utf8.count }, for: "postgres"
        ) { texts.map { IndexedText(title: $0.title, text: $0.content) } }
    }

    static func indexed(_ record: NoteRecord) async throws -> IndexedText {
        try await LargeWork.shared.run(over: record.content.utf8.count, for: "postgres") {
            IndexedText(title: record.title, text: record.content)
        }
    }

    /// Numbers the runs of texts that have no number yet.
    ///
    /// A transaction of its own, so that no gateway waits for another one's notes.
    func numbers(of texts: [IndexedText]) async throws -> [String: Int32] {
        var distinct: Set<String> = []
        for text in texts { for run in text.runs { distinct.insert(run.text) } }
        var (numbers, missing) = store.vocabulary.split(distinct)
        guard !missing.isEmpty else { return numbers }
        // Equal orders in all gateways, so that none waits for another in a circle.
        missing.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for start in stride(from: 0, to: missing.count, by: 5000) {
            let part = Array(missing[start..<min(start + 5000, missing.count)])
            var fresh = try await known(part)
            let unknown = part.filter { fresh[$0] == nil }
            if !unknown.isEmpty {
                let stems = unknown.map { Self.literal(IndexedText.stems(of: $0)) }
                try await store.write { connection in
                    try await connection.run(
                        """
                        INSERT INTO vocabulary (run, stems)
                        SELECT r, s::text[] FROM unnest($1::text[], $2::text[]) AS u (r, s)
                        ON CONFLICT (md5(run)) DO NOTHING
                        """, [.texts(unknown), .texts(stems)])
                }
                fresh.merge(try await known(unknown)) { $1 }
            }
            numbers.merge(fresh) { $1 }
            store.vocabulary.add(fresh)
        }
        return numbers
    }

    private func known(_ runs: [String]) async throws -> [String: Int32] {
        let rows = try await store.rows(
            """
            SELECT v.id, v.run FROM unnest($1::text[]) AS u (r) JOIN vocabulary v ON md5(v.run) = md5(u.r)
            """, [.texts(runs)])
        var found: [String: Int32] = [:]
        for row in rows.indices {
            if let id = rows.integer(row, 0), let run = rows.text(row, 1) { found[run] = Int32(truncatingIfNeeded: id) }
        }
        return found
    }

    /// An array in PostgreSQL's text form.
    static func literal(_ texts: [String]) -> String {
        let quoted = texts.map { text in
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "{" + quoted.joined(separator: ",") + "}"
    }

    /// Stores the words of notes within a transaction.
    ///
    /// - Parameter timeout: How long it may take; nil for the connection's timeout.
    func writeWords(
        of notes: [Worded], numbers: [String: Int32], _ connection: PostgresConnection, timeout: Duration? = nil
    ) async throws {
        guard !notes.isEmpty else { return }
        var (runs, marks) = ([String?](), [[UInt8]?]())
        for note in notes {
            var (ids, bytes) = ([Int32](), [UInt8]())
            for run in note.text.runs {
                guard let number = numbers[run.text] else {
                    throw PostgresError(.failed, "the vocabulary lacks a word of note \(note.id)")
                }
                ids.append(number)
                bytes += PostgresValue.bytes(of: number).reversed()
                bytes.append(run.mark)
            }
            runs.append("{" + ids.map(String.init).joined(separator: ",") + "}")
            marks.append(bytes)
        }
        try await connection.run(
            """
            INSERT INTO note_words (note_id, created, words, bytes, folded, runs, marks)
            SELECT id, created, words, bytes, folded, runs::integer[], marks
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bytea[])
                AS u (id, created, words, bytes, folded, runs, marks)
            ON CONFLICT (note_id) DO UPDATE SET created = excluded.created, words = excluded.words,
                bytes = excluded.bytes, folded = excluded.folded, runs = excluded.runs, marks = excluded.marks
            """,
            [
                .integers(notes.map(\.id)), .integers(notes.map(\.created)),
                .integers(notes.map { Int64($0.text.words) }),
                .integers(notes.map { Int64($0.text.bytes) }), .texts(notes.map(\.text.folded)), .texts(runs),
                .blobs(marks),
            ], timeout: timeout)
    }
}
