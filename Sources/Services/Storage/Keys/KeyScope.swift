/// A permission of a key. A key has a set of scopes; a route requires one.
public struct KeyScope: RawRepresentable, Hashable, Sendable {
    /// The scope's name in the API, on the command line and in the database.
    public let rawValue: String
    /// Creates a scope. A scope that no route requires has no effect.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Allows generation, embeddings and reading Ollama's status.
    public static let llm = KeyScope(rawValue: "llm")
    /// Allows retrieval over the notes.
    public static let notesRead = KeyScope(rawValue: "notes:read")
    /// Allows changes of the notes.
    public static let notesWrite = KeyScope(rawValue: "notes:write")
    /// Allows changes of the gateway and of Ollama.
    public static let admin = KeyScope(rawValue: "admin")
    /// Allows sending notifications, and registering devices that get them.
    public static let pushSend = KeyScope(rawValue: "push:send")
    /// Allows changes of templates, schedules, devices and settings of notifications, and reading their log.
    public static let pushAdmin = KeyScope(rawValue: "push:admin")

    /// All known scopes, in display order.
    public static let all: [KeyScope] = [.llm, .notesRead, .notesWrite, .pushSend, .pushAdmin, .admin]
    /// The default scopes of a key: those of an assistant, without ``admin`` and those of notifications.
    public static let ordinary: Set<KeyScope> = [.llm, .notesRead, .notesWrite]
}

extension Set<KeyScope> {
    /// The scopes' names: known scopes in display order, then the others by name.
    public var words: [String] {
        KeyScope.all.filter(contains).map(\.rawValue) + subtracting(KeyScope.all).map(\.rawValue).sorted()
    }
}
