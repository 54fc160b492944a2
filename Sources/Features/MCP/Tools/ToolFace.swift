import GatewayAPI
import Tools

/// A tool as MCP clients see it.
struct ToolFace: Sendable {
    /// What a call may change.
    enum Effect: Sendable {
        case reads, adds, changes, deletes
    }

    /// The name on the wire.
    let name: String
    /// The tool of the registry.
    let tool: Tool
    let effect: Effect
    /// The size of each text in a result, in characters; nil for whole texts.
    let previews: Int?
    /// Whether results consist of parts of notes or books.
    let hasParts: Bool
    /// Whether every call is refused while private notes are withheld.
    let isPrivate: Bool

    /// The longest text of a result of a search, in characters.
    static let previewCharacters = 300

    /// The tools with another name or other texts than in chats, in the order of `tools/list`.
    private static let order: [(tool: String, name: String, previews: Int?)] = [
        ("search_notes", "search_notes", previewCharacters), ("read_note", "read_note", nil),
        ("related_notes", "related_notes", previewCharacters), ("recent_notes", "recent_notes", previewCharacters),
        ("find_text", "find_text", previewCharacters), ("briefing", "briefing", nil), ("list_threads", "threads", nil),
        ("thread_tasks", "tasks", nil),
        ("search_memories", "search_memories", nil), ("search_books", "search_books", previewCharacters),
        ("find_in_books", "find_in_books", previewCharacters), ("read_pages", "read_pages", nil),
        ("book_outline", "book_outline", nil), ("capture_note", "capture_note", nil),
        ("update_note", "update_note", nil), ("delete_note", "delete_note", nil),
    ]
    /// Tools that store a proposal for a person, and nothing else.
    private static let proposing: Set = ["log_action", "plan_term", "reflect", "undo"]
    /// Tools that `tools/list` leaves out, so that it stays below its budget of tokens: hosts send it with each turn.
    private static let left: Set = [
        "goals", "values", "terms", "measures", "plan_term", "reflect", "undo", "find_actions", "review",
    ]
    private static let privateTools: Set = ["search_memories", "thread_tasks"]

    /// The faces of tools: those of the list above in its order, then the others in theirs.
    static func all(_ tools: [Tool], deletes: Bool) -> [ToolFace] {
        let listed = order.compactMap { entry in
            tools.first { $0.name == entry.tool }.map { ToolFace($0, as: entry.name, previews: entry.previews) }
        }
        let names = Set(order.map(\.tool))
        let others = tools.filter { !names.contains($0.name) && !left.contains($0.name) }.map {
            ToolFace($0, as: $0.name, previews: nil)
        }
        return (listed + others).filter { deletes || $0.effect != .deletes }
    }

    init(_ tool: Tool, as name: String, previews: Int?) {
        self.name = name
        self.tool = tool
        self.previews = previews
        hasParts = previews != nil || ["read_note", "read_pages"].contains(tool.name)
        isPrivate = Self.privateTools.contains(tool.name)
        effect =
            if Self.proposing.contains(tool.name) {
                .adds
            } else if !tool.writes {
                .reads
            } else if tool.name == "delete_note" {
                .deletes
            } else if tool.name == "capture_note" {
                .adds
            } else {
                .changes
            }
    }

    /// The tool in `tools/list`.
    func json(_ revision: MCPRevision) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "description": .string(tool.summary), "inputSchema": tool.arguments.json.brief,
        ]
        if revision >= .march2025 { members["annotations"] = annotations }
        if revision.hasStructuredContent { members["outputSchema"] = outputSchema }
        return .object(members)
    }

    /// Hints about a call; those with the protocol's default are left out.
    private var annotations: JSONValue {
        var hints: [String: JSONValue] = ["openWorldHint": .bool(false)]
        switch effect {
        case .reads: hints["readOnlyHint"] = .bool(true)
        case .adds: (hints["destructiveHint"], hints["idempotentHint"]) = (.bool(false), .bool(true))
        case .changes, .deletes: break
        }
        return .object(hints)
    }

    /// The schema of the tool's data. It stays small, because hosts show it to their models.
    private var outputSchema: JSONValue {
        guard hasParts else { return .object(["type": .string("object")]) }
        return .object([
            "type": .string("object"),
            "properties": .object([
                "results": .object(["type": .string("array"), "items": .object(["type": .string("object")])])
            ]),
            "required": .array([.string("results")]),
        ])
    }
}

extension JSONValue {
    /// The keywords of schemas that models need not read: the server checks them and says what is wrong.
    private static let unread: Set = [
        "additionalProperties", "minLength", "maxLength", "minItems", "maxItems", "minimum",
    ]

    /// A schema without these keywords, and without upper limits that nobody reaches.
    fileprivate var brief: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.filter { !Self.unread.contains($0.key) && !($0.key == "maximum" && $0.value.isHuge) }
                    .mapValues(\.brief))
        case .array(let elements): .array(elements.map(\.brief))
        default: self
        }
    }

    private var isHuge: Bool {
        switch self {
        case .integer(let number): number >= 1000
        case .number(let number): number >= 1000
        default: false
        }
    }
}
