/// A template of notifications: Pulpit's notification definition.
public struct PushDefinition: Codable, Sendable, Hashable {
    /// The id.
    public var id: String
    /// The name in URLs: 1 to 64 lower-case letters, digits and `-`.
    public var name: String
    /// The template: `name`, `inputs`, `message`.
    public var template: JSONValue
    /// When it was created, ISO 8601.
    public var createdAt: String
    /// When it was changed, ISO 8601.
    public var updatedAt: String

    /// Creates a definition.
    public init(id: String, name: String, template: JSONValue, createdAt: String, updatedAt: String) {
        self.id = id
        self.name = name
        self.template = template
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A page of templates.
public struct PushDefinitionList: Codable, Sendable, Hashable {
    /// The templates, oldest first.
    public var definitions: [PushDefinition]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?

    /// Creates a page.
    public init(definitions: [PushDefinition], nextCursor: String?) {
        self.definitions = definitions
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/v1/actions` and `PUT /api/v1/actions/{id}`: a shortcut or a webhook.
public struct PushActionRequest: Codable, Sendable, Hashable {
    /// The name, 1 to 128 bytes.
    public var name: String
    /// The name of a shortcut, which the automation device runs.
    public var shortcutName: String?
    /// A URL that gets a signed request.
    public var webhookUrl: String?
    /// The secret that signs requests, `whsec_…`.
    public var webhookSecret: String?
    /// The input when a call has none.
    public var input: String?

    /// Creates an action.
    public init(name: String, shortcutName: String? = nil, webhookUrl: String? = nil) {
        self.name = name
        self.shortcutName = shortcutName
        self.webhookUrl = webhookUrl
    }
}

/// A named action of the server.
public struct PushServerAction: Codable, Sendable, Hashable {
    /// The id.
    public var id: String
    /// The name.
    public var name: String
    /// The name of a shortcut.
    public var shortcutName: String?
    /// A URL.
    public var webhookUrl: String?
    /// Whether requests are signed. The secret itself is never shown.
    public var isSigned: Bool
    /// The input when a call has none.
    public var input: String?
    /// When it was created, ISO 8601.
    public var createdAt: String
    /// When it was changed, ISO 8601.
    public var updatedAt: String

    /// Creates an action.
    public init(id: String, name: String, isSigned: Bool, createdAt: String, updatedAt: String) {
        self.id = id
        self.name = name
        self.isSigned = isSigned
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A page of actions.
public struct PushActionList: Codable, Sendable, Hashable {
    /// The actions, oldest first.
    public var actions: [PushServerAction]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?

    /// Creates a page.
    public init(actions: [PushServerAction], nextCursor: String?) {
        self.actions = actions
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/v1/execute`: an action by name, or a shortcut.
public struct PushExecuteRequest: Codable, Sendable, Hashable {
    /// The name or id of an action.
    public var action: String?
    /// The name of a shortcut.
    public var shortcut: String?
    /// The input.
    public var input: String?
    /// The device that runs a shortcut, by name or id; nil for the automation device that was seen last.
    public var device: String?
    /// Seconds from now, 0 to 366 days.
    public var delay: Double?

    /// Creates a request.
    public init(action: String? = nil, shortcut: String? = nil) {
        self.action = action
        self.shortcut = shortcut
    }
}

/// The triggers: what the gateway notifies of by itself.
public struct PushTriggers: Codable, Sendable, Hashable {
    /// By the name of the trigger.
    public var triggers: [String: PushTrigger]

    /// Creates triggers.
    public init(triggers: [String: PushTrigger]) { self.triggers = triggers }
}

/// The switch of a trigger.
public struct PushTrigger: Codable, Sendable, Hashable {
    /// Whether it notifies.
    public var enabled: Bool
    /// The name of a template; nil for the built-in text.
    public var template: String?
    /// The topic; nil for the trigger's name.
    public var topic: String?
    /// Names or ids of devices; nil for all.
    public var devices: [String]?

    /// Creates a switch.
    public init(enabled: Bool, template: String? = nil, topic: String? = nil, devices: [String]? = nil) {
        self.enabled = enabled
        self.template = template
        self.topic = topic
        self.devices = devices
    }
}

/// The reply of `GET /api/v1/health`, as Pulpit's app asks for it.
public struct PushHealth: Codable, Sendable, Hashable {
    /// `ok`.
    public var status: String
    /// The server's name.
    public var name: String
    /// The server's version.
    public var version: String

    /// Creates a reply.
    public init(status: String, name: String, version: String) {
        self.status = status
        self.name = name
        self.version = version
    }
}
