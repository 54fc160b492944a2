import Retrieval

/// The keyword leg: rows by the database, marks and scores by us.
extension PostgresSearch {
    /// The maximum number of notes that one query may score.
    static let maxRows = 400_000

    struct Keywords: Sendable {
        var hits: [KeywordAnswer.Hit] = []
        var found = 0
        var time = Duration.zero
        /// What was found, and the runs of the vocabulary that the question needed; for feedback.
        var answer: KeywordAnswer?
        var runs: [RunVocabulary.Run] = []
        /// The vocabulary, where this gateway knows it.
        var vocabulary: RunVocabulary?
    }

    func keywords(_ query: HybridQuery, _ view: View, _ depth: Int) async throws -> Keywords {
        let (question, totals) = (KeywordQuestion(query), view.totals)
        guard query.mode != .vector, !question.isEmpty, totals.documents > 0 else { return Keywords() }
        let started = ContinuousClock.now
        let vocabulary = try await store.vocabularyIndex.current(upTo: view.lastRun, store)
        let runs = try await runs(for: question, vocabulary)
        var answer = KeywordAnswer(question, vocabulary: runs.map { ($0.id, $0.text) })
        var (selected, values) = ([String](), [PostgresValue]())
        let numbers = answer.runs
        if !numbers.isEmpty {
            values.append(.integers(numbers.map(Int64.init)))
            selected.append("w.runs && $\(values.count)::integer[]")
        }
        for phrase in question.phrases {
            var parts = phrase.parts.map { part in runs.filter { part.matches($0.text) }.map { Int64($0.id) } }
            // No note holds a pattern whose parts no note holds.
            guard parts.allSatisfy({ !$0.isEmpty }) else { continue }
            // Parts with many runs select little.
            parts.removeAll { $0.count > 1000 }
            values.append(.text(phrase.text))
            var conditions = ["strpos(w.folded, $\(values.count)::text) > 0"]
            for part in parts {
                values.append(.integers(part))
                conditions.append("w.runs && $\(values.count)::integer[]")
            }
            selected.append("(" + conditions.reversed().joined(separator: " AND ") + ")")
        }
        guard !selected.isEmpty else { return Keywords(time: ContinuousClock.now - started) }
        var conditions = FilterConditions(after: values.count)
        conditions.add(query.filter)
        let passes =
            query.filter.isEmpty
            ? "true" : "EXISTS (SELECT 1 FROM notes n WHERE n.id = w.note_id AND \(conditions.sql))"
        let folded = question.phrases.isEmpty ? "NULL" : "w.folded"
        let each = selected.map {
            """
            SELECT w.note_id, w.created, w.words, w.bytes, \(passes), w.marks, \(folded) FROM note_words w WHERE \($0)
            """
        }
        // One statement for each way of finding, so that each can use its index.
        let sql = each.count == 1 ? each[0] : each.joined(separator: " UNION ")
        let rows = try await store.rows(
            "SELECT * FROM (\(sql)) AS found LIMIT \(Self.maxRows + 1)", values + conditions.values)
        guard rows.count <= Self.maxRows else {
            throw RetrievalError(
                .invalidQuery, "more than \(Self.maxRows) notes hold a word of this query; use rarer words or a phrase")
        }
        answer.add(rows)
        let isAlone = query.mode == .keyword && query.recency == nil && query.diversity == nil && !query.explain
        let best = answer.best(isAlone ? query.limit : depth, of: totals)
        return Keywords(
            hits: best.hits, found: best.found, time: ContinuousClock.now - started, answer: answer, runs: runs,
            vocabulary: vocabulary)
    }

    /// The runs of the vocabulary that a question needs.
    func runs(
        for question: KeywordQuestion, _ vocabulary: RunVocabulary?
    ) async throws -> [RunVocabulary.Run] {
        if let vocabulary {
            return vocabulary.runs(
                stems: question.stems, patterns: question.patterns, parts: question.phrases.flatMap(\.parts))
        }
        var patterns = question.patterns.map { "%\($0)%" }
        for phrase in question.phrases {
            patterns += phrase.parts.map { part in
                switch part {
                case .suffix(let text): "%\(text)"
                case .prefix(let text): "\(text)%"
                case .whole(let text): text
                }
            }
        }
        // Runs hold no characters that LIKE interprets.
        let rows = try await store.rows(
            """
            SELECT id, run FROM vocabulary WHERE stems && $1::text[]
            UNION SELECT v.id, v.run FROM unnest($2::text[]) AS p (pattern) JOIN vocabulary v ON v.run LIKE p.pattern
            """, [.texts(question.stems), .texts(patterns)])
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let run = rows.text(row, 1) else { return nil }
            return RunVocabulary.Run(id: Int32(truncatingIfNeeded: id), text: run)
        }
    }
}

extension KeywordAnswer {
    /// Adds documents: id, creation, words, bytes, whether the filter lets them pass, marks, folded text.
    mutating func add(_ rows: PostgresRows) {
        for row in rows.indices {
            guard let id = rows.integer(row, 0) else { continue }
            let document = Document(
                id: id, createdAt: rows.integer(row, 1) ?? 0, words: Int(rows.integer(row, 2) ?? 0),
                bytes: Int(rows.integer(row, 3) ?? 0), passes: rows.bool(row, 4) ?? false)
            let text = question.phrases.isEmpty ? nil : rows.bytes(row, 6)
            _ = unsafe rows.withBytes(row, 5) { bytes -> Bool? in
                unsafe add(document, runs: bytes, folded: text)
                return true
            }
        }
    }
}
