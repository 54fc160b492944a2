import Cryptography
import GatewayAPI
import PromptRoom
import Prompts
import Storage

/// One version of a prompt.
struct PromptEdition: Sendable, Hashable {
    var document: PromptDocument
    /// The first 12 hexadecimal digits of the SHA-256 of the text form.
    var hash: String
    /// 0 for the version that comes with the gateway.
    var number: Int
    var origin: Prompt.Origin
    /// Nil for the version that comes with the gateway.
    var storedAt: String?

    /// A version that comes with the gateway, or a draft.
    init(_ document: PromptDocument) {
        self.document = document
        hash = Self.hash(of: document.text)
        number = 0
        origin = .curated
    }

    /// A stored version.
    ///
    /// - Parameter replaces: Whether the prompt replaces a curated one.
    init(_ document: PromptDocument, _ stored: StoredPrompt, replaces: Bool) {
        self.document = document
        hash = Self.hash(of: document.text)
        number = stored.number
        origin = replaces ? .edited : .own
        storedAt = stored.createdAt
    }

    /// The prompt on the wire.
    func prompt(withText: Bool) -> Prompt {
        Prompt(
            id: document.id, title: document.title, kind: document.kind.rawValue, purpose: document.purpose,
            chat: document.chat.rawValue,
            variables: document.variables.map {
                PromptVariable(name: $0.name, defaultValue: $0.defaultValue, meaning: $0.meaning)
            },
            text: withText ? document.body : nil, origin: origin, version: hash, number: number, updatedAt: storedAt)
    }

    /// The version on the wire.
    var version: PromptVersion {
        PromptVersion(
            number: number, version: hash, title: document.title, bytes: document.text.utf8.count, createdAt: storedAt)
    }

    /// What a run asks with these values.
    ///
    /// - Throws: ``PromptError``.
    func rendered(_ given: [String: String]) throws(PromptError) -> RenderedPrompt {
        let values = try document.values(given)
        return RenderedPrompt(
            id: document.id, version: hash, text: try document.render(values), chat: document.chat.rawValue,
            scope: try Self.scope(values))
    }

    /// The notes that the variables `days`, `tag` and `thread` leave; nil for all.
    private static func scope(_ values: [String: String]) throws(PromptError) -> ChatScope? {
        var scope = ChatScope()
        if let text = filled("days", values) {
            guard let days = Double(text), (0...100_000).contains(days) else {
                throw PromptError("values.days", "expected a number of days from 0 to 100000")
            }
            scope.timeScope = .init(days: days)
        }
        if let tag = filled("tag", values) { scope.tag = .init([tag]) }
        if let thread = filled("thread", values) { scope.thread = .init([thread]) }
        return scope == ChatScope() ? nil : scope
    }

    private static func filled(_ name: String, _ values: [String: String]) -> String? {
        let value = values[name]?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
        return value.isEmpty ? nil : value
    }

    private static func hash(of text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(6).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
