/// What a key may be used for. A key has a set of scopes, a route wants one.
public struct KeyScope: RawRepresentable, Hashable, Sendable {
    /// The word on the wire, on the command line and in the database.
    public let rawValue: String
    /// Creates a scope. One that no route wants does nothing.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Generation, embeddings and what Ollama tells of itself.
    public static let llm = KeyScope(rawValue: "llm")
    /// Retrieval over the notes.
    public static let notesRead = KeyScope(rawValue: "notes:read")
    /// Changes of the notes.
    public static let notesWrite = KeyScope(rawValue: "notes:write")
    /// Changes of the gateway and of Ollama itself.
    public static let admin = KeyScope(rawValue: "admin")

    /// Every scope there is, in the order in which they are shown.
    public static let all: [KeyScope] = [.llm, .notesRead, .notesWrite, .admin]
    /// What a key gets when nothing else is said: everything but ``admin``.
    public static let ordinary: Set<KeyScope> = [.llm, .notesRead, .notesWrite]
}

extension Set<KeyScope> {
    /// The scopes as words: the known ones in their order, then the others by name.
    public var words: [String] {
        KeyScope.all.filter(contains).map(\.rawValue) + subtracting(KeyScope.all).map(\.rawValue).sorted()
    }
}
