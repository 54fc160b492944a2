import Access
import Concurrency
import Database
import Finding
import GatewayAPI
import Questions
import Retrieval
import Storage
import Text

/// Searches of notes with operators. What the index knows narrows the search; all operators are checked on what it finds.
extension NoteSearch {
    /// The results of a search whose operators are checked afterwards: many of them may not have what was asked for.
    private static let mostChecked = 400
    /// The notes that are looked at for operators without words, the newest first.
    private static let mostListed = 1000
    /// The notes that are read at once for operators without words.
    private static let listedAtOnce = 100
    /// The threads whose names are compared with a filter.
    private static let mostThreads = 5000

    /// The operators of a search; nil for a text without any, which is searched as it is.
    func operators(of query: SearchQuery) -> FindQuestion? {
        guard query.readsOperators else { return nil }
        let question = FindQuestion(
            query.index.text, rule: questions.rule, firstWeekday: questions.firstWeekday, now: questions.now(),
            account: query.account)
        return question.operators.hasOperators ? question : nil
    }

    /// Searches for what a text with operators asks for, best first; without words, the newest first.
    ///
    /// - Returns: The reply, and why not all notes were looked at; nil when they were.
    func answer(
        _ asked: SearchQuery, to question: FindQuestion
    ) async throws -> (reply: RetrieveResponse, cut: String?) {
        let operators = question.operators
        var query = asked
        query.readsOperators = false
        (query.index.text, query.hasContent) = (question.text, true)
        var isNone = !operators.wantedKinds.contains(.notes)
        if !isNone, query.threads.isEmpty, let name = operators.values(.thread).first ?? operators.values(.in).first {
            query.threads = try await threads(named: name)
            isNone = query.threads.isEmpty
        }
        if isNone {
            let none = RetrieveResponse(
                query: asked.index.text, source: query.index.mode.rawValue, fallbackReason: nil, results: [],
                timingsMilliseconds: [:], explanation: nil)
            return (none, nil)
        }
        for phrase in operators.phrases where query.index.keywords.count < SearchQuery.maxKeywords {
            if !query.index.keywords.contains(phrase) { query.index.keywords.append(phrase) }
        }
        if query.index.filter.tags.isEmpty, let tag = operators.values(.tag).first {
            query.index.filter.tags = SearchQuery.tags([tag])
        }
        if query.index.filter.noteTypes.isEmpty { query.index.filter.noteTypes = Set(operators.values(.type)) }
        query.index.filter.since = [query.index.filter.since, question.since].compactMap(\.self).max()
        query.index.filter.until = [query.index.filter.until, question.until].compactMap(\.self).min()
        if question.words.isEmpty, query.index.keywords.isEmpty { return try await listed(query, asked, question) }
        query.index.limit = max(asked.index.limit, Self.mostChecked)
        let filter = FindFilter(question)
        var reply = try await retrieve(query)
        let results = reply.results
        let bytes = results.reduce(0) { $0 + $1.note.content.utf8.count }
        reply.results = try await LargeWork.shared.run(over: bytes, for: asked.account.name) {
            let passing = results.filter { filter.passes(FindCandidate($0.note, passage: nil, question)) }
            return passing.prefix(asked.index.limit).map { Self.shown($0, asked) }
        }
        (reply.query, reply.count) = (asked.index.text, reply.results.count)
        let isCut = results.count >= query.index.limit && reply.results.count < asked.index.limit
        let cut =
            isCut
            ? "only the best \(results.count) notes for the words have been compared with the operators; add a word"
            : nil
        reply.fallbackReason = reply.fallbackReason ?? cut
        return (reply, cut)
    }

    /// The newest notes that pass the filters.
    private func listed(
        _ query: SearchQuery, _ asked: SearchQuery, _ question: FindQuestion
    ) async throws -> (reply: RetrieveResponse, cut: String?) {
        let filter = FindFilter(question)
        let threads = query.threads.isEmpty ? [] : try await source.threads(matching: query.threads)
        var cursor = query.index.filter.until.map { PageCursor($0 < .max ? $0 + 1 : $0, .min) }
        var (found, seen) = ([Note](), 0)
        repeat {
            let page = try await store.notes.page(
                NoteSelection(since: query.index.filter.since), after: cursor, limit: Self.listedAtOnce)
            seen += page.items.count
            found += page.items.filter { note in
                (threads.isEmpty || note.threads.contains { threads.contains($0.id) })
                    && Self.passes(note, query.index.filter)
                    && filter.passes(FindCandidate(note, passage: nil, question))
            }
            cursor = page.next
        } while cursor != nil && seen < Self.mostListed && found.count < asked.index.limit
        let results = found.prefix(asked.index.limit).map { note in
            var result = RetrievedNote(note: note, score: 0)
            if asked.hasSnippets { result.note.snippet = Snippet.line(of: note.content, title: note.title) }
            return Self.shown(result, asked)
        }
        let isCut = cursor != nil && found.count < asked.index.limit
        let cut = isCut ? "only the newest \(seen) notes were looked at; add a word to search all" : nil
        let reply = RetrieveResponse(
            query: asked.index.text, source: RetrievalMode.keyword.rawValue, fallbackReason: cut, results: results,
            timingsMilliseconds: [:], explanation: nil)
        return (reply, cut)
    }

    private static func shown(_ result: RetrievedNote, _ asked: SearchQuery) -> RetrievedNote {
        var result = result
        if !asked.hasContent { result.note.content = "" }
        return result
    }

    /// Whether a note has the types, the actionabilities and one of the tags that a request asks for.
    private static func passes(_ note: Note, _ filter: Filter) -> Bool {
        func has(_ wanted: Set<String>, _ values: [String]) -> Bool {
            let names = Set(wanted.map { $0.lowercased() })
            return names.isEmpty || values.contains { names.contains($0.lowercased()) }
        }
        return has(filter.noteTypes, [note.noteType].compactMap(\.self)) && has(filter.tags, note.tags)
            && has(filter.actionabilities, [note.actionability].compactMap(\.self))
    }

    /// The ids of threads by a part of their names, or by an id.
    private func threads(named name: String) async throws -> [String] {
        let needle = FoldedNeedle(folded: TextFolding.folded(name))
        let names = try await store.snapshot { try $0.noteTables().threadNames(limit: Self.mostThreads) }
        let found = names.filter { needle.isIn($0.name) || String($0.id) == name }
        return found.prefix(SearchQuery.maxKeywords).map { String($0.id) }
    }
}
