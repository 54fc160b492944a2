/// A tool that a model, or a user by hand, may call.
public struct ToolDescription: Codable, Sendable, Hashable {
    /// The name.
    public var name: String
    /// The purpose.
    public var summary: String
    /// The JSON Schema of the arguments, an object.
    public var arguments: JSONValue

    /// Creates a description.
    public init(name: String, summary: String, arguments: JSONValue) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
    }
}

/// The reply of `GET /api/tools`: the tools that the key may call.
public struct ToolsResponse: Codable, Sendable, Hashable {
    /// The tools, in the order that models see.
    public var tools: [ToolDescription]

    /// Creates a reply.
    public init(tools: [ToolDescription]) { self.tools = tools }
}

/// The body of `POST /api/tools/:name`.
public struct ToolCallRequest: Codable, Sendable, Hashable {
    /// The arguments, an object; checked and coerced as those of a model.
    public var arguments: JSONValue?
    /// Whether private notes are left out, as for a model on another machine; false when absent.
    public var withholdsPrivate: Bool?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case arguments
        case withholdsPrivate = "withholds_private"
    }

    /// Creates a request.
    public init(arguments: JSONValue? = nil, withholdsPrivate: Bool? = nil) {
        self.arguments = arguments
        self.withholdsPrivate = withholdsPrivate
    }
}

/// The reply of `POST /api/tools/:name`.
public struct ToolCallResponse: Codable, Sendable, Hashable {
    /// The tool's name.
    public var name: String
    /// The arguments after the check, with defaults.
    public var arguments: JSONValue
    /// The result as text; the passages are not repeated here.
    public var text: String
    /// The parts of notes of the result, numbered from 1.
    public var passages: [ChatPassage]
    /// The result as data; absent when text and passages are all.
    public var content: JSONValue?
    /// The private notes that were left out.
    public var withheld: [Int64]
    /// The time of the call in milliseconds.
    public var milliseconds: Double

    /// Creates a reply.
    public init(
        name: String, arguments: JSONValue, text: String, passages: [ChatPassage], content: JSONValue?,
        withheld: [Int64], milliseconds: Double
    ) {
        self.name = name
        self.arguments = arguments
        self.text = text
        self.passages = passages
        self.content = content
        self.withheld = withheld
        self.milliseconds = milliseconds
    }
}
