import GatewayAPI
import Storage
import Text
import Tools

/// `resources/list`, `resources/templates/list` and `resources/read`: notes, threads, pages of books and the briefing.
struct MCPResources: Sendable {
    /// The number of notes in a page of the list.
    private static let pageSize = 50
    /// The number of notes of a thread that its resource has.
    private static let threadNotes = 100
    /// The maximum size of a resource in bytes; longer notes are read in parts by the tool.
    private static let maxBytes = 256 << 10

    let store: any GatewayStore
    /// The tool that reads pages of books; nil without books.
    let pages: Tool?
    /// The tool that tells what is new; nil without one.
    let briefing: Tool?

    /// The addresses that clients may build.
    var templates: MCPResult {
        let list = [
            ("note", "selene://note/{id}", "A note."), ("thread", "selene://thread/{id}", "A thread with its notes."),
            (
                "page", "selene://book/{id}/page/{page}",
                "A page of a book by its printed number, up to the reading position."
            ),
        ]
        return MCPResult(
            [
                "resourceTemplates": .array(
                    list.map { name, template, meaning in
                        .object([
                            "name": .string(name), "uriTemplate": .string(template), "description": .string(meaning),
                            "mimeType": .string("text/plain"),
                        ])
                    })
            ], .own(300_000))
    }

    /// `resources/list`: the briefing, then the notes, newest first.
    func list(_ params: MCPParams, _ caller: MCPCaller) async throws -> MCPResult {
        try caller.require(.notesRead)
        var cursor: PageCursor?
        if let text = try params.textIfPresent("cursor") {
            guard let given = PageCursor(text: text) else { throw Self.wrongCursor }
            cursor = given
        }
        let page: Page<Note>
        do {
            page = try await store.notes.page(after: cursor, limit: Self.pageSize)
        } catch let error as StorageError where error.code == .invalid {
            throw Self.wrongCursor
        }
        let fixed: [JSONValue] =
            cursor == nil && briefing != nil
            ? [
                .object([
                    "uri": .string(ResourceAddress.briefing.uri), "mimeType": .string("text/plain"),
                    "name": .string("Briefing of today"),
                ])
            ] : []
        var members: [String: JSONValue] = [
            "resources": .array(
                fixed
                    + caller.tools.divide(page.items).shown.map { note in
                        .object([
                            "uri": .string(ResourceAddress.note(note.id).uri), "mimeType": .string("text/plain"),
                            "name": .string(note.title.isEmpty ? "note \(note.id)" : note.title),
                            "size": .integer(Int64(note.content.utf8.count)),
                        ])
                    })
        ]
        members["nextCursor"] = page.next.map { .string($0.text) }
        return MCPResult(members, .stale)
    }

    private static let wrongCursor = RPCError(.invalidParams, "params.cursor: not a cursor of this list")

    /// `resources/read`
    func read(_ params: MCPParams, _ caller: MCPCaller) async throws -> MCPResult {
        let uri = try params.text("uri")
        try caller.require(.notesRead)
        guard let text = try await text(at: uri, caller.tools) else {
            throw RPCError(
                .invalidParams, "there is no resource \"\(uri.prefix(512))\"",
                data: .object(["uri": .string(String(uri.prefix(512)))]))
        }
        return MCPResult(
            [
                "contents": .array([
                    .object(["uri": .string(uri), "mimeType": .string("text/plain"), "text": .string(text)])
                ])
            ], .stale)
    }

    private func text(at uri: String, _ caller: ToolCaller) async throws -> String? {
        switch ResourceAddress(uri) {
        case nil: return nil
        case .note(let id)?:
            let found = try await store.notes.find(ids: [id])
            guard let note = caller.divide(found).shown.first else { return nil }
            return Self.bounded(Self.head(of: note) + "\n\n" + note.content)
        case .thread(let id)?: return try await thread(id, caller)
        case .page(let book, let page)?:
            guard let pages else { return nil }
            let arguments = ToolArguments(["book": .integer(book), "first": .string(page)])
            let found = try await pages.handler(arguments, caller)
            let text = found.passages.map(\.part.text).joined(separator: "\n")
            return text.isEmpty ? nil : Self.bounded(text)
        case .briefing?:
            guard let briefing else { return nil }
            return Self.bounded(try await briefing.handler(ToolArguments(["days": .integer(1)]), caller).text)
        }
    }

    private func thread(_ id: Int64, _ caller: ToolCaller) async throws -> String? {
        guard let thread = try await store.threads.find(id), !caller.hides(thread) else { return nil }
        let page = try await store.notes.page(NoteSelection(thread: id), after: nil, limit: Self.threadNotes)
        var lines = ["\(thread.name), \(thread.noteCount) notes"]
        // A summary may tell of private notes.
        if caller.hides == nil, let summary = thread.summary ?? thread.why { lines.append(summary) }
        lines += caller.divide(page.items).shown.map { note in
            "- \(ResourceAddress.note(note.id).uri) \(note.title) (\(note.createdAt.prefix(10)))"
        }
        return Self.bounded(lines.joined(separator: "\n"))
    }

    private static func head(of note: Note) -> String {
        var lines = [note.title, "date: \(note.createdAt)", "revision: \(note.currentRevision)"]
        if !note.tags.isEmpty { lines.append("tags: " + note.tags.joined(separator: ", ")) }
        if !note.threads.isEmpty { lines.append("threads: " + note.threads.map(\.name).joined(separator: ", ")) }
        return lines.joined(separator: "\n")
    }

    private static func bounded(_ text: String) -> String { ResultBudget(bytes: maxBytes).cut(text).text }
}
