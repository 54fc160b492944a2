import GatewayAPI
package import Storage
import TaskRoom
import Text
package import Tools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tools that read notes and threads.
package struct NoteTools: Sendable {
    /// The largest part of a note in one result, in UTF-8 bytes.
    static let partBytes: Int64 = 6000

    let store: any GatewayStore

    package init(store: any GatewayStore) { self.store = store }

    /// The tools, in the order that models see.
    package var all: [Tool] { [readNote, recentNotes, listThreads, threadTasks] }

    private var readNote: Tool {
        Tool(
            "read_note", "Reads a note by its id; a long one in parts.",
            arguments: .object([
                .required("note", .integer("The note's id.", least: 1)),
                .optional(
                    "offset",
                    .integer("Where the part begins, in bytes.", least: 0, most: 1 << 30, defaultValue: 0)),
            ]), scope: "notes:read", tellsOnlyNotes: true
        ) { [store] arguments, caller in
            let id = arguments.integer("note") ?? 0
            guard let note = try await store.notes.find(ids: [id]).first else {
                return ToolResult(text: Self.noNote(id))
            }
            guard caller.divide([note]).withheld.isEmpty else {
                // The same words as for a note that does not exist, so that no call tells which ids are private.
                var result = ToolResult(text: Self.noNote(id))
                result.withheld = [id]
                return result
            }
            let part = Self.part(of: note.content, from: Int(arguments.integer("offset") ?? 0))
            let total = note.content.utf8.count
            let isCut = part.range.upperBound < total
            var result = ToolResult(
                text: isCut ? "The note has \(total) bytes; go on at \(part.range.upperBound)." : "",
                passages: [ToolPassage(note: note, range: part.range, text: part.text)])
            var facts: [String: JSONValue] = [
                "revision": .string(note.currentRevision),
                "total_chars": .integer(Int64(note.content.unicodeScalars.count)),
            ]
            if isCut { facts["next_offset"] = .integer(Int64(part.range.upperBound)) }
            result.content = .object(facts)
            return result
        }
    }

    private var recentNotes: Tool {
        Tool(
            "recent_notes", "Lists the newest notes.",
            arguments: .object([
                .optional("days", .number("Only of the last so many days.", least: 0, most: 100_000, defaultValue: 7)),
                .optional("limit", .integer(least: 1, most: 30, defaultValue: 10)),
            ]), scope: "notes:read", tellsOnlyNotes: true
        ) { [store] arguments, caller in
            let since = Int64(Date.now.timeIntervalSince1970 - (arguments.number("days") ?? 7) * 86_400)
            let page = try await store.notes.page(
                NoteSelection(since: since), after: nil, limit: Int(arguments.integer("limit") ?? 10))
            let (shown, withheld) = caller.divide(page.items)
            let passages = shown.map { note in
                let part = Self.part(of: note.content, from: 0, bytes: 300)
                return ToolPassage(note: note, range: part.range, text: part.text)
            }
            let text = shown.isEmpty ? "There is no note of this time." : ""
            return ToolResult(text: text, passages: passages, withheld: withheld)
        }
    }

    private var listThreads: Tool {
        Tool(
            "list_threads", "Lists the threads of notes, those with the most momentum first.",
            arguments: .object([
                .optional("limit", .integer(least: 1, most: 50, defaultValue: 15))
            ]), scope: "notes:read"
        ) { [store] arguments, caller in
            let found = try await store.threads.active(limit: Int(arguments.integer("limit") ?? 15))
            let threads = found.filter { !caller.hides($0) }
            guard !threads.isEmpty else { return ToolResult(text: "There are no threads.") }
            // A summary may tell of private notes, so it stays on the machine.
            let summaries = threads.map { thread in
                (caller.hides == nil ? thread.summary ?? thread.why : nil).map {
                    Self.part(of: $0, from: 0, bytes: 300).text
                }
            }
            return ToolResult(
                text: zip(threads, summaries).map { thread, summary in
                    "- thread \(thread.id): \(thread.name), \(Count.of(thread.noteCount, "note"))"
                        + (summary.map { ". " + $0 } ?? "")
                }.joined(separator: "\n"),
                content: .object([
                    "results": .array(zip(threads, summaries).map { .object(Self.data(of: $0, $1)) })
                ]))
        }
    }

    private var threadTasks: Tool {
        Tool(
            "thread_tasks", "Lists the tasks of a thread.",
            arguments: .object([.required("thread", .integer("The thread's id.", least: 1))]), scope: "notes:read"
        ) { [store] arguments, caller in
            guard caller.hides == nil else {
                return ToolResult(text: "Tasks are private and not sent to this model.")
            }
            let tasks = try await store.tasks.page(
                ofThread: arguments.integer("thread") ?? 0, limit: 50
            ).items
            guard !tasks.isEmpty else { return ToolResult(text: "The thread has no tasks.") }
            return ToolResult(
                text: tasks.map { "- [\($0.completedAt == nil ? " " : "x")] \($0.title ?? "a task without a title")" }
                    .joined(separator: "\n"))
        }
    }

    private static func noNote(_ id: Int64) -> String { "There is no note \(id), or this model may not read it." }

    private static func data(of thread: ChatThread, _ summary: String?) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "thread": .integer(thread.id), "title": .string(thread.name),
            "notes": .integer(Int64(thread.noteCount)), "uri": .string("selene://thread/\(thread.id)"),
        ]
        members["summary"] = summary.map(JSONValue.string)
        return members
    }

    /// A part of a text, at most so many bytes, in whole scalars.
    private static func part(
        of text: String, from offset: Int, bytes: Int = Int(partBytes)
    ) -> (range: Range<Int>, text: String) {
        UTF8Border.part(of: text, offset..<offset + bytes)
    }
}
