import AssociationRoom
import GatewayAPI
package import Storage
package import Tools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tool that tells what is new: the newest notes, the threads with the most momentum, and similar pairs of notes.
package struct BriefingTool: Sendable {
    /// The most notes, threads and pairs of a briefing.
    private static let (notes, threads, pairs) = (10, 5, 5)
    /// The least similarity of a pair.
    private static let similarity = 0.7

    let store: any GatewayStore

    package init(store: any GatewayStore) { self.store = store }

    package var tool: Tool {
        Tool(
            "briefing", "What is new: recent notes, active threads, similar pairs of notes.",
            arguments: .object([
                .optional("days", .number("Days back.", least: 0, most: 100_000, defaultValue: 1))
            ]), scope: "notes:read"
        ) { [store] arguments, caller in
            let since = Int64(Date.now.timeIntervalSince1970 - (arguments.number("days") ?? 1) * 86_400)
            let newest = try await store.notes.page(NoteSelection(since: since), after: nil, limit: Self.notes)
            let (shown, withheld) = caller.divide(newest.items)
            let threads = try await store.threads.active(limit: Self.threads).filter { !caller.hides($0) }
            let pairs = try await Self.pairs(since, store, caller)
            var lines = shown.map { "- note \($0.id): \($0.title) (\($0.createdAt.prefix(10)))" }
            if lines.isEmpty { lines = ["No new notes."] }
            lines += threads.map { "- thread \($0.id): \($0.name), \($0.noteCount) notes" }
            lines += pairs.map {
                "- similar: note \($0.noteAId) \($0.noteATitle) and note \($0.noteBId) \($0.noteBTitle)"
            }
            var result = ToolResult(
                text: lines.joined(separator: "\n"),
                content: .object([
                    "results": .array(shown.map(Self.data)), "threads": .array(threads.map(Self.data)),
                    "pairs": .array(pairs.map(Self.data)),
                ]))
            result.withheld = withheld
            return result
        }
    }

    /// The pairs of which the caller may get both notes.
    private static func pairs(
        _ since: Int64, _ store: any GatewayStore, _ caller: ToolCaller
    ) async throws -> [NoteAssociation] {
        let found = try await store.associations.page(
            minSimilarity: similarity, since: since, limit: pairs
        ).items
        guard caller.hides != nil, !found.isEmpty else { return found }
        let notes = try await store.notes.find(ids: Set(found.flatMap { [$0.noteAId, $0.noteBId] }).sorted())
        let shown = Set(caller.divide(notes).shown.map(\.id))
        return found.filter { shown.contains($0.noteAId) && shown.contains($0.noteBId) }
    }

    private static func data(of note: Note) -> JSONValue {
        .object([
            "note": .integer(note.id), "uri": .string("selene://note/\(note.id)"), "title": .string(note.title),
            "date": .string(String(note.createdAt.prefix(10))),
        ])
    }

    private static func data(of thread: ChatThread) -> JSONValue {
        .object([
            "thread": .integer(thread.id), "uri": .string("selene://thread/\(thread.id)"),
            "title": .string(thread.name), "notes": .integer(Int64(thread.noteCount)),
        ])
    }

    private static func data(of pair: NoteAssociation) -> JSONValue {
        .object([
            "notes": .array([.integer(pair.noteAId), .integer(pair.noteBId)]), "similarity": .number(pair.similarity),
        ])
    }
}
