/// A prompt of the library.
public struct Prompt: Codable, Sendable, Hashable {
    /// The id: 1 to 64 lower-case letters, digits and `-`.
    public var id: String
    /// The title, one line.
    public var title: String
    /// `reflective`, `analytical`, `exploratory`, `specific` or `creative`.
    public var kind: String
    /// What the prompt is for, one line; may be empty.
    public var purpose: String
    /// The kind of conversation that its run is, such as `synthesis`.
    public var chat: String
    /// The variables, in order.
    public var variables: [PromptVariable]
    /// The template. Absent in lists.
    public var text: String?
    /// Where the prompt comes from.
    public var origin: Origin
    /// The first 12 hexadecimal digits of the SHA-256 of the prompt's text form.
    public var version: String
    /// The number of the version: 0 for the one that comes with the gateway, from 1 for stored ones.
    public var number: Int
    /// When the version was stored, in UTC; absent for the one that comes with the gateway.
    public var updatedAt: String?

    /// Where a prompt comes from.
    public enum Origin: String, Codable, Sendable, Hashable, CaseIterable {
        /// It comes with the gateway.
        case curated
        /// It comes with the gateway, and an own copy replaces it.
        case edited
        /// It was made by the user.
        case own
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, kind, purpose, chat, variables, text, origin, version, number
        case updatedAt = "updated_at"
    }

    /// Creates a prompt.
    public init(
        id: String, title: String, kind: String, purpose: String, chat: String, variables: [PromptVariable],
        text: String?, origin: Origin, version: String, number: Int, updatedAt: String?
    ) {
        self.id = id
        self.title = title
        self.kind = kind
        self.purpose = purpose
        self.chat = chat
        self.variables = variables
        self.text = text
        self.origin = origin
        self.version = version
        self.number = number
        self.updatedAt = updatedAt
    }
}

/// A value that a prompt needs. The names `days`, `tag` and `thread` also narrow the notes of the run.
public struct PromptVariable: Codable, Sendable, Hashable {
    /// The name: a lower-case letter, then lower-case letters, digits and `_`; at most 32 bytes.
    public var name: String
    /// The value when none is given; empty when absent.
    public var defaultValue: String
    /// What the value is; empty when absent.
    public var meaning: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case name
        case defaultValue = "default"
        case meaning
    }

    /// Creates a variable.
    public init(name: String, defaultValue: String = "", meaning: String = "") {
        self.name = name
        self.defaultValue = defaultValue
        self.meaning = meaning
    }

    /// Decodes a variable; absent texts are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        defaultValue = try container.decodeIfPresent(String.self, forKey: .defaultValue) ?? ""
        meaning = try container.decodeIfPresent(String.self, forKey: .meaning) ?? ""
    }
}

/// The body of `PUT /api/prompts/:id`.
public struct PromptChange: Codable, Sendable, Hashable {
    /// The title.
    public var title: String
    /// The kind.
    public var kind: String
    /// The template.
    public var text: String
    /// What the prompt is for; empty when absent.
    public var purpose: String?
    /// The kind of conversation; `ask` when absent.
    public var chat: String?
    /// The variables. When absent, each name of the template is a variable, as the version before declares it.
    public var variables: [PromptVariable]?
    /// The version that the change began from. When it is no longer the current one, nothing is stored (409).
    public var base: String?

    /// Creates a change.
    public init(
        title: String, kind: String, text: String, purpose: String? = nil, chat: String? = nil,
        variables: [PromptVariable]? = nil, base: String? = nil
    ) {
        self.title = title
        self.kind = kind
        self.text = text
        self.purpose = purpose
        self.chat = chat
        self.variables = variables
        self.base = base
    }
}

/// The reply of `GET /api/prompts`, by kind and title; without templates.
public struct PromptsResponse: Codable, Sendable, Hashable {
    /// The prompts.
    public var prompts: [Prompt]
    /// The number of prompts.
    public var count: Int

    /// Creates a reply.
    public init(prompts: [Prompt]) {
        self.prompts = prompts
        count = prompts.count
    }
}

/// The reply of `DELETE /api/prompts/:id`.
public struct DeletedPromptResponse: Codable, Sendable, Hashable {
    /// `deleted`, or `restored` when the prompt that comes with the gateway is back.
    public var status: String
    /// The prompt's id.
    public var id: String

    /// Creates a reply.
    public init(status: String, id: String) {
        self.status = status
        self.id = id
    }
}
