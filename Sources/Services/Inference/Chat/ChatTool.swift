package import GatewayAPI

/// A tool as a model sees it.
package struct ChatTool: Sendable, Hashable {
    /// The name, 1 to 64 ASCII letters, digits, `_` and `-`.
    package var name: String
    /// The purpose, for the model; empty for none.
    package var summary: String
    /// The JSON Schema of the arguments, an object, in the order of its author.
    package var parameters: JSONSource
    /// Whether the arguments always match the schema; nil for the provider's default.
    package var isStrict: Bool?

    package init(name: String, summary: String, parameters: JSONValue) {
        self.init(name: name, summary: summary, schema: JSONSource(parameters))
    }

    package init(name: String, summary: String, schema: JSONSource, isStrict: Bool? = nil) {
        self.name = name
        self.summary = summary
        parameters = schema
        self.isStrict = isStrict
    }

    /// The schema of a tool without arguments.
    package static let noParameters = JSONSource(.object(["type": .string("object"), "properties": .object([:])]))
}

/// Which tools a model may or must call.
package enum ChatToolChoice: Sendable, Hashable {
    /// The model decides.
    case auto
    /// The model calls none.
    case none
    /// The model calls at least one.
    case required
    /// The model calls this one.
    case named(String)
}

/// A call of a tool.
package struct ChatCall: Sendable, Hashable {
    /// The provider's id; empty when the provider gives none.
    package var id: String
    /// The tool's name, unchecked.
    package var name: String
    /// The arguments as the model wrote them: the JSON of an object, with its members in the model's order, or a text that
    /// is not valid JSON. Empty for no arguments.
    package var written: String

    package init(id: String, name: String, arguments: JSONValue) {
        self.init(id: id, name: name, written: arguments.text ?? String(decoding: arguments.json, as: UTF8.self))
    }

    package init(id: String, name: String, written: String) {
        self.id = id
        self.name = name
        self.written = written
    }

    /// The arguments, unchecked: an object, or `.string` with the text when it is not valid JSON.
    package var arguments: JSONValue { Self.arguments(written) }

    /// Reads arguments that a provider sends as text: an object, or `.string` with the text when it is no object of
    /// JSON. An empty text means no arguments.
    static func arguments(_ text: String) -> JSONValue {
        guard text.utf8.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return .object([:]) }
        guard let value = (try? JSONDocument(parsing: Array(text.utf8)))?.value, value.isObject else {
            return .string(text)
        }
        return value
    }

    /// The arguments as an object in the model's order; empty when they are not one. Providers accept only objects.
    package var argumentsObject: JSONSource {
        guard let document = try? JSONDocument(parsing: Array(written.utf8)), document.root.isObject,
            document.isUnicode
        else { return JSONSource(.object([:])) }
        return JSONSource(document.root)
    }

    /// Calls with equal arguments are equal, however these are written.
    package static func == (one: ChatCall, other: ChatCall) -> Bool {
        one.id == other.id && one.name == other.name
            && (one.written == other.written || one.arguments == other.arguments)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(name)
    }
}

/// A piece of a call while the model writes it.
package struct ChatCallPiece: Sendable, Hashable {
    /// The place of the call among those of the answer. Pieces of one call follow each other.
    package var index: Int
    /// The provider's id; empty when the provider gives none.
    package var id: String
    package var name: String
    /// The next part of the arguments; may be empty in the first piece.
    package var text: String

    package init(index: Int, id: String, name: String, text: String) {
        (self.index, self.id, self.name, self.text) = (index, id, name, text)
    }
}
