import BookRoom
import GatewayAPI
import Storage
import Text
import Tools

/// `completion/complete`: ids of notes, threads and books by their titles, and names of threads.
struct MCPCompletion: Sendable {
    /// The maximum number of values.
    private static let limit = 20
    /// The longest text to complete in bytes.
    private static let maxBytes = 256

    let store: any GatewayStore

    func complete(_ params: MCPParams, _ caller: MCPCaller) async throws -> MCPResult {
        let reference = MCPParams(members: try params.object("ref"))
        let argument = MCPParams(members: try params.object("argument"))
        let (name, text) = (try argument.text("name"), try argument.text("value"))
        guard text.utf8.count <= Self.maxBytes else {
            throw RPCError(.invalidParams, "params.argument.value: longer than \(Self.maxBytes) bytes")
        }
        try caller.require(.notesRead)
        let values: [String]
        switch try reference.text("type") {
        case "ref/resource":
            let uri = try reference.text("uri")
            values = name == "id" ? try await ids(for: uri, text, caller) : []
        case "ref/prompt":
            _ = try reference.text("name")
            values = name == "thread" ? try await threads(text, caller).map(\.name) : []
        default: throw RPCError(.invalidParams, "params.ref.type: expected ref/resource or ref/prompt")
        }
        return MCPResult([
            "completion": .object([
                "values": .array(values.prefix(Self.limit).map(JSONValue.string)),
                "hasMore": .bool(values.count > Self.limit),
            ])
        ])
    }

    private func ids(for uri: String, _ text: String, _ caller: MCPCaller) async throws -> [String] {
        if uri.hasPrefix("selene://note/") {
            let selection = NoteSelection(text: text.isEmpty ? nil : text)
            let found = try await store.notes.page(selection, after: nil, limit: 5 * Self.limit).items
            let notes = caller.tools.divide(found).shown
            // The selection also finds words of the content; titles come first.
            let titled = notes.filter { Self.has($0.title, text) }
            return (titled.isEmpty ? notes : titled).map { ResourceAddress.slug($0.id, $0.title) }
        }
        if uri.hasPrefix("selene://thread/") {
            return try await threads(text, caller).map { ResourceAddress.slug($0.id, $0.name) }
        }
        guard uri.hasPrefix("selene://book/") else { return [] }
        let found = try await store.books.page(containing: text.isEmpty ? nil : text, after: nil, limit: Self.limit)
        return found.items.filter { caller.tools.hides == nil || !$0.isPrivate }
            .map { ResourceAddress.slug($0.id, $0.title) }
    }

    private func threads(_ text: String, _ caller: MCPCaller) async throws -> [ChatThread] {
        try await store.threads.active(limit: 200).filter {
            !caller.tools.hides($0) && Self.has($0.name, text)
        }
    }

    private static func has(_ title: String, _ text: String) -> Bool {
        text.isEmpty || FoldedNeedle(folded: TextFolding.folded(text)).isIn(title)
    }
}
