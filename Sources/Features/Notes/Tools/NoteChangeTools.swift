import GatewayAPI
package import Storage
import Text
package import Tools

/// The tools that capture, change and delete notes. Chats never offer them.
package struct NoteChangeTools: Sendable {
    /// The longest title that is made from a text, in characters.
    private static let titleCharacters = 80

    let store: any NoteBook

    package init(store: any GatewayStore) { self.store = store.notes }

    /// The tools, in the order that models see.
    package var all: [Tool] { [capture, update, delete] }

    private static let title = ArgumentSchema.string("One line.", least: 1, most: 1000)
    private static let tags = ArgumentSchema.array(of: .string(least: 1, most: 100), most: 50)
    private static let revision = ArgumentSchema.string("From read_note.", least: 12, most: 12)
    private static let note = ArgumentSchema.integer(least: 1)

    private var capture: Tool {
        Tool(
            "capture_note", "Stores a new note. The same note again is not stored twice.",
            arguments: .object([
                .required("content", .string(least: 1, most: 60_000)), .optional("title", Self.title),
                .optional("tags", Self.tags),
            ]), scope: "notes:write", writes: true
        ) { [store] arguments, _ in
            let content = try Self.storable(arguments.string("content") ?? "", "content")
            let title = try Self.storable(arguments.string("title") ?? Self.title(of: content), "title")
            let tags = try arguments.strings("tags")?.map { try Self.storable($0, "tags") }
            let draft = NoteDraft(
                title: title, content: content, tags: tags ?? Hashtags.find(in: content), source: "tool")
            switch try await store.create(draft, testRun: nil, request: nil) {
            case .created(let id): return try await Self.report("created", id, store)
            case .duplicate(let id): return try await Self.report("duplicate", id, store)
            }
        }
    }

    private var update: Tool {
        Tool(
            "update_note", "Changes a note; absent fields stay. Refused when the note changed since it was read.",
            arguments: .object([
                .required("note", Self.note), .required("revision", Self.revision), .optional("title", Self.title),
                .optional("content", .string(least: 1, most: 60_000)), .optional("tags", Self.tags),
            ]), scope: "notes:write", writes: true
        ) { [store] arguments, caller in
            let id = arguments.integer("note") ?? 0
            var change = NoteChange()
            change.title = try arguments.string("title").map { try Self.storable($0, "title") }
            change.content = try arguments.string("content").map { try Self.storable($0, "content") }
            change.tags = try arguments.strings("tags")?.map { try Self.storable($0, "tags") }
            guard change != NoteChange() else {
                throw StorageError(.invalid, "nothing to change: set title, content or tags")
            }
            try await Self.requireShown(id, caller, store)
            guard try await store.update(id, change, revision: arguments.string("revision")) else {
                throw Self.missing(id)
            }
            return try await Self.report("updated", id, store)
        }
    }

    private var delete: Tool {
        Tool(
            "delete_note", "Deletes a note. Refused when the note changed since it was read.",
            arguments: .object([.required("note", Self.note), .required("revision", Self.revision)]),
            scope: "notes:write", writes: true
        ) { [store] arguments, caller in
            let id = arguments.integer("note") ?? 0
            try await Self.requireShown(id, caller, store)
            guard try await store.delete(id, revision: arguments.string("revision")) else { throw Self.missing(id) }
            return ToolResult(
                text: "Note \(id) is deleted.", content: .object(["id": .integer(id), "status": .string("deleted")]))
        }
    }

    /// The state of a note after its change.
    private static func report(_ status: String, _ id: Int64, _ store: any NoteBook) async throws -> ToolResult {
        guard let note = try await store.find(ids: [id]).first else { throw missing(id) }
        return ToolResult(
            text: "Note \(id) is \(status == "duplicate" ? "there already" : status).",
            content: .object([
                "id": .integer(id), "status": .string(status), "revision": .string(note.currentRevision),
                "uri": .string("selene://note/\(id)"),
            ]))
    }

    /// Rejects a note that the caller may not get.
    private static func requireShown(_ id: Int64, _ caller: ToolCaller, _ store: any NoteBook) async throws {
        guard try await !caller.divide(store.find(ids: [id])).shown.isEmpty else { throw missing(id) }
    }

    private static func missing(_ id: Int64) -> StorageError { StorageError(.notFound, "there is no note \(id)") }

    /// A text that both kinds of store keep whole.
    private static func storable(_ text: String, _ name: String) throws -> String {
        guard !text.utf8.contains(0), !text.isBlank else {
            throw StorageError(.invalid, "\(name): must have letters, and no character U+0000")
        }
        return text
    }

    /// The first line of a text, shortened.
    private static func title(of content: String) -> String {
        let line = content.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let words = line.drop { $0 == "#" || $0.isWhitespace }
        let title = words.isEmpty ? line : words
        return title.count > titleCharacters ? title.prefix(titleCharacters - 1) + "…" : String(title)
    }
}
