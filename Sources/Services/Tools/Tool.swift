package import GatewayAPI

/// A tool that a model, an MCP client or a user of the playground may call.
package struct Tool: Sendable {
    /// Carries out a call. A thrown error becomes text for the model and must say what to do.
    package typealias Handler = @Sendable (ToolArguments, ToolCaller) async throws -> ToolResult

    /// The name on the wire: 1 to 64 ASCII letters, digits, `_` and `-`, which every provider accepts.
    package let name: String
    /// The purpose and use of the tool, for the model.
    package let summary: String
    /// The schema of the arguments, an object.
    package let arguments: ArgumentSchema
    /// The scope that a caller's key needs, such as `notes:read`; nil for any key.
    package let scope: String?
    /// Whether the tool changes data. Chats offer only tools that do not.
    package let writes: Bool
    /// What the tool is about. A chat about books offers no tools about notes.
    package let subject: Subject
    /// Whether all that results tell of the author is in their passages of notes, so that their notes say whether an answer made
    /// from them is private.
    package let tellsOnlyNotes: Bool
    /// When a chat offers the tool; nil for always. Other callers may always call it.
    package let occasion: ToolOccasion?
    /// Carries out a call.
    package let handler: Handler

    /// What a tool is about.
    package enum Subject: Sendable, Hashable {
        case notes, books
    }

    package init(
        _ name: String, _ summary: String, arguments: ArgumentSchema = .object([]), scope: String?,
        writes: Bool = false, about subject: Subject = .notes, tellsOnlyNotes: Bool = false,
        occasion: ToolOccasion? = nil, handler: @escaping Handler
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.scope = scope
        self.writes = writes
        self.subject = subject
        self.tellsOnlyNotes = tellsOnlyNotes
        self.occasion = occasion
        self.handler = handler
    }
}

package struct ToolCaller: Sendable {
    /// The name under which shares of the key are counted; nil for a call on this machine without keys.
    package let key: String?
    /// The name of the caller alone, for the history of what it changed.
    package let actor: String
    /// The scopes of the key; nil for all scopes.
    package let scopes: Set<String>?
    /// The notes that no result may contain, because they would leave the machine; nil for none.
    package let hides: NotePrivacy?
    /// The books that the conversation is about: a tool reads these and no others. Empty for all.
    package let books: [Int64]
    /// Charges the key for tokens that the model of this name read, such as those of an embedded query.
    package let charge: @Sendable (_ tokens: Int, _ model: String) -> Void
    /// Whether the key has used up its tokens for this day or its budget.
    package let isSpent: @Sendable () -> Bool
    /// The turn of the conversation: the same call in the same turn has its effect once. Nil where there are no turns.
    package let turn: String?

    package init(
        key: String?, actor: String? = nil, scopes: Set<String>?, hides: NotePrivacy? = nil, books: [Int64] = [],
        turn: String? = nil,
        charge: @escaping @Sendable (_ tokens: Int, _ model: String) -> Void = { _, _ in },
        isSpent: @escaping @Sendable () -> Bool = { false }
    ) {
        self.key = key
        self.actor = actor ?? key ?? "chat"
        self.scopes = scopes
        self.hides = hides
        self.books = books
        self.turn = turn
        self.charge = charge
        self.isSpent = isSpent
    }

    /// Divides notes into those that the caller may get and the ids of the others.
    package func divide(_ notes: [Note]) -> (shown: [Note], withheld: [Int64]) {
        guard let hides else { return (notes, []) }
        return (notes.filter { !hides.covers($0) }, notes.filter(hides.covers).map(\.id))
    }

    /// Whether the caller may not learn of a thread.
    package func hides(_ thread: ChatThread) -> Bool {
        guard let hides else { return false }
        return hides.covers(thread: thread.name) || hides.covers(thread: thread.id)
    }

    package func mayCall(_ tool: Tool) -> Bool {
        guard let scope = tool.scope, let scopes else { return true }
        return scopes.contains(scope)
    }
}
