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
    /// Allows registering devices for oneself and reading what they get. It sends nothing, registers no webhook and lists no
    /// device of another key.
    public static let pushReceive = KeyScope(rawValue: "push:receive")
    /// Allows sending notifications, and all of ``pushReceive``.
    public static let pushSend = KeyScope(rawValue: "push:send")
    /// Allows changes of templates, schedules, devices and settings of notifications, and reading their log.
    public static let pushAdmin = KeyScope(rawValue: "push:admin")

    /// What routes need that send in one topic: ``pushSend``, or a scope of a topic. No key has it itself.
    public static let pushTopics = KeyScope(rawValue: "push:send:*")

    /// Allows sending notifications of one topic, and nothing else.
    public static func pushSend(topic: String) -> KeyScope { KeyScope(rawValue: "push:send:\(topic)") }

    /// The topic of a scope for one topic: 1 to 64 letters, digits, `-` and `_`; nil for other scopes.
    public var topic: String? {
        let start = "push:send:"
        guard rawValue.hasPrefix(start) else { return nil }
        let topic = rawValue.dropFirst(start.count)
        let isTopic =
            (1...64).contains(topic.utf8.count)
            && topic.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
            }
        return isTopic ? String(topic) : nil
    }

    /// Whether a key may get the scope: it is one of ``all``, or that of a topic.
    public var isKnown: Bool { Self.all.contains(self) || topic != nil }

    /// All known scopes but those of topics, in display order.
    public static let all: [KeyScope] = [
        .llm, .notesRead, .notesWrite, .pushReceive, .pushSend, .pushAdmin, .admin,
    ]
    /// The default scopes of a key: those of an assistant, without ``admin`` and those of notifications.
    public static let ordinary: Set<KeyScope> = [.llm, .notesRead, .notesWrite]
    /// The default scopes of a key that a device gets by pairing: also notifications for itself.
    public static let paired = ordinary.union([.pushReceive])
}

extension Set<KeyScope> {
    /// Whether a key with these scopes has what a route needs.
    public func allow(_ scope: KeyScope) -> Bool {
        if contains(scope) { return true }
        if scope == .pushReceive { return contains(.pushSend) }
        return scope == .pushTopics && (contains(.pushSend) || contains { $0.topic != nil })
    }

    /// Whether a key with these scopes may send notifications of a topic.
    public func allow(topic: String) -> Bool { contains(.pushSend) || contains { $0.topic == topic } }

    /// Whether a key with these scopes may give another key a scope of its own: the same one, or a part of it.
    package func mayGive(_ scope: KeyScope) -> Bool {
        contains(scope) || scope == .pushReceive && contains(.pushSend) || scope.topic.map { allow(topic: $0) } ?? false
    }

    /// The scopes of a device that a key with these scopes pairs, when none are named: those of ``KeyScope/paired`` that the
    /// key may give. A key that has none of them gives its own, or all of them when it may administer.
    public var pairing: Set<KeyScope> {
        let given = KeyScope.paired.filter(mayGive)
        if !given.isEmpty { return given }
        return contains(.admin) ? KeyScope.paired : self
    }

    /// The scopes' names: known scopes in display order, then the others by name.
    public var words: [String] {
        KeyScope.all.filter(contains).map(\.rawValue) + subtracting(KeyScope.all).map(\.rawValue).sorted()
    }
}
