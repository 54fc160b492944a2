import Access
import GatewayAPI
import Retrieval
package import Tools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tools that find notes and memories.
package struct SearchTools: Sendable {
    /// The largest number of results.
    static let maxResults: Int64 = 20

    let notes: NoteSearch
    let memories: MemoryRetrieval

    package init(notes: NoteSearch, memories: MemoryRetrieval) {
        self.notes = notes
        self.memories = memories
    }

    /// The tools, in the order that models see.
    package var all: [Tool] { [searchNotes, findText, relatedNotes, searchMemories] }

    private static let nothing = "No note was found."

    private static let count = ArgumentSchema.integer(least: 1, most: maxResults, defaultValue: 5)

    private var searchNotes: Tool {
        Tool(
            "search_notes", "Finds notes by meaning and words. Use other words than the searches before.",
            arguments: .object([
                .required("query", .string("What to look for, in plain words.", least: 1, most: 1000)),
                .optional("limit", Self.count),
                .optional("days", .number("Only notes of the last so many days.", least: 0, most: 100_000)),
                .optional("tag", .string("Only notes with this tag.", most: 200)),
                .optional("thread", .string("Only notes of this thread, by name or id.", most: 200)),
            ]), scope: "notes:read", tellsOnlyNotes: true
        ) { arguments, caller in
            var query = SearchQuery(HybridQuery(text: arguments.string("query") ?? ""))
            if let days = arguments.number("days") {
                query.index.filter.since = Int64(Date.now.timeIntervalSince1970 - days * 86_400)
            }
            query.index.filter.tags = SearchQuery.tags([arguments.string("tag")].compactMap { $0 })
            query.threads = SearchQuery.filled([arguments.string("thread")].compactMap { $0 })
            return try await search(query, arguments, caller)
        }
    }

    private var findText: Tool {
        Tool(
            "find_text", "Finds notes that contain exactly this text, whatever they mean. Case does not matter.",
            arguments: .object([
                .required("text", .string("The words as they stand in the note.", least: 1, most: 500)),
                .optional("limit", Self.count),
            ]), scope: "notes:read", tellsOnlyNotes: true
        ) { arguments, caller in
            let text = arguments.string("text") ?? ""
            return try await search(
                SearchQuery(HybridQuery(text: "", keywords: [text], mode: .keyword)), arguments, caller)
        }
    }

    private var relatedNotes: Tool {
        Tool(
            "related_notes", "Finds the notes nearest in meaning to a note.",
            arguments: .object([
                .required("note", .integer("The note's id.", least: 1)), .optional("limit", Self.count),
            ]), scope: "notes:read", tellsOnlyNotes: true
        ) { arguments, caller in
            let limit = Int(arguments.integer("limit") ?? 5)
            let query = SearchQuery.nearest(limit: Self.limit(limit, caller), account: Self.account(caller))
            let id = arguments.integer("note") ?? 0
            // A private note is none, so that nobody learns which notes are near to it.
            let isPrivate = try await !caller.divide(notes.source.load([id])).withheld.isEmpty
            guard !isPrivate, let found = try await notes.related(to: id, query) else {
                return ToolResult(text: "There is no note with this id.")
            }
            if found.results.isEmpty { return ToolResult(text: found.reason ?? Self.nothing) }
            return Self.result(found.results, caller, limit: limit, remark: nil)
        }
    }

    private var searchMemories: Tool {
        Tool(
            "search_memories", "Finds what was remembered about the author from earlier conversations.",
            arguments: .object([
                .required("query", .string("What to look for.", least: 1, most: 1000)),
                .optional("limit", Self.count),
            ]), scope: "notes:read"
        ) { arguments, caller in
            // Memories carry no tags, so a provider on another machine gets none.
            guard caller.hides == nil else {
                return ToolResult(text: "Memories are private and not sent to this model.")
            }
            var query = MemoryRetrieval.Query()
            query.text = arguments.string("query") ?? ""
            query.limit = Int(arguments.integer("limit") ?? 5)
            query.account = Self.account(caller)
            query.mayTellPrivate = true
            let found = try await memories.retrieve(query).results
            guard !found.isEmpty else { return ToolResult(text: "Nothing is remembered about this.") }
            return ToolResult(text: found.map { "- " + $0.memory.content }.joined(separator: "\n"))
        }
    }

    private func search(
        _ query: SearchQuery, _ arguments: ToolArguments, _ caller: ToolCaller
    ) async throws -> ToolResult {
        var query = query
        query.index.fusion = notes.defaultFusion
        let limit = Int(arguments.integer("limit") ?? 5)
        query.index.limit = Self.limit(limit, caller)
        query.index.explain = true
        query.account = Self.account(caller)
        // A model that reads private notes may write their words.
        query.mayTellPrivate = caller.hides == nil
        let found = try await notes.retrieve(query)
        var how: [String: JSONValue] = ["source": .string(found.source)]
        how["fallback_reason"] = found.fallbackReason.map(JSONValue.string)
        how["reranked"] = (found.rerank?.applied).map(JSONValue.bool)
        var result = Self.result(found.results, caller, limit: limit, remark: found.fallbackReason)
        result.content = .object(how)
        return result
    }

    /// How many results a search needs for so many that the caller gets. Private notes take no places, so that neither a missing
    /// result nor the time of a second search tells of them.
    private static func limit(_ limit: Int, _ caller: ToolCaller) -> Int {
        caller.hides == nil ? limit : SearchQuery.maxLimit
    }

    private static func account(_ caller: ToolCaller) -> TokenAccount {
        TokenAccount(name: caller.key ?? "anonymous", charge: caller.charge, isSpent: caller.isSpent)
    }

    private static func result(
        _ hits: [RetrievedNote], _ caller: ToolCaller, limit: Int, remark: String?
    ) -> ToolResult {
        let withheld = Set(caller.divide(hits.map(\.note)).withheld)
        let passages = hits.filter { !withheld.contains($0.note.id) }.prefix(limit).map { hit in
            let part = PassageCut.part(of: hit)
            let why = hit.explanation.map {
                ChatPassage.Why(
                    meaning: $0.vector?.score, words: $0.keyword?.rank, terms: $0.matchedTerms, rerank: $0.rerank)
            }
            let match = hit.explanation?.spans.first { $0.field == "content" && part.range.contains($0.start) }
            return ToolPassage(
                note: hit.note, range: part.range, text: part.text,
                rank: .init(score: hit.score, why: why, match: match.map { $0.start - part.range.lowerBound }))
        }
        // The same words whether nothing matches or all that matches is private: else a caller could read private notes letter
        // by letter.
        var text = passages.isEmpty ? nothing : ""
        if let remark, !passages.isEmpty { text += "Found by words only: \(remark)" }
        return ToolResult(text: text, passages: passages, withheld: withheld.sorted())
    }
}
