import GatewayAPI
import Questions
import Retrieval
import Storage

/// Retrievals that use what a question means.
extension NoteSearch {
    /// Searches for what a question means: within its time, without what it excludes, with its quotations as phrases.
    ///
    /// A question without these is searched as it is. So is one for which nothing is found: a wrong reading then costs
    /// a search and hides nothing.
    func answer(_ query: SearchQuery, with reader: QuestionReader) async throws -> RetrieveResponse {
        let analysis = await reader.read(query.index.text, store)
        let (since, until) = reader.seconds(of: analysis.stretch)
        var narrowed = query
        // A request that names its own time keeps it.
        let usesTime = analysis.stretch != nil && query.index.filter.since == nil && query.index.filter.until == nil
        if usesTime { (narrowed.index.filter.since, narrowed.index.filter.until) = (since, until) }
        let topics = ExcludedTopics(analysis.excluded)
        // What is excluded stays in the text: without it the ranking would change, and not always for the better.
        if usesTime { narrowed.index.text = analysis.rest }
        for phrase in analysis.phrases where narrowed.index.keywords.count < SearchQuery.maxKeywords {
            if !narrowed.index.keywords.contains(phrase) { narrowed.index.keywords.append(phrase) }
        }
        // Notes that are left out take places in the result.
        if !topics.isEmpty { narrowed.index.limit = min(SearchQuery.maxLimit, query.index.limit * 3) }
        var reply = try await answer(narrowed)
        reply.results = Array(reply.results.filter { !topics.cover($0.note) }.prefix(query.index.limit))
        var applied = true
        if reply.results.isEmpty, usesTime || !topics.isEmpty {
            reply = try await answer(query)
            applied = false
        }
        reply.query = query.index.text
        reply.count = reply.results.count
        reply.analysis = reader.understood(analysis, applied: applied)
        return reply
    }
}
