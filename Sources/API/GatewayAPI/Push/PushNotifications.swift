/// The body of `POST /api/v1/messages`: a message, or a template with its inputs.
public struct PushSendRequest: Codable, Sendable, Hashable {
    /// The message; its fields are in the OpenAPI document.
    public var message: JSONValue?
    /// The name of a template.
    public var template: String?
    /// The values of the template.
    public var inputs: [String: JSONValue]?
    /// The topic, 1 to 64 letters, digits, `-` and `_`; nil for `default`.
    public var topic: String?
    /// Names or ids of devices; nil for all.
    public var devices: [String]?
    /// When to send it, ISO 8601; nil for now.
    public var notBefore: String?

    /// Creates a request.
    public init(message: JSONValue? = nil, topic: String? = nil, devices: [String]? = nil) {
        self.message = message
        self.topic = topic
        self.devices = devices
    }
}

/// The body of `PATCH /api/v1/messages/{id}`.
public struct PushUpdateRequest: Codable, Sendable, Hashable {
    /// The new message, whole.
    public var message: JSONValue

    /// Creates a request.
    public init(message: JSONValue) { self.message = message }
}

/// A stored notification with its deliveries.
public struct PushNotification: Codable, Sendable, Hashable {
    /// The id.
    public var id: String
    /// `queued` while a delivery waits; else the status that all deliveries have, or `mixed`.
    public var status: String
    /// The topic.
    public var topic: String
    /// Whether an earlier request stored it: one with the same `Idempotency-Key`, or the same `id`.
    public var isRepeat: Bool?
    /// The deliveries, one for each device.
    public var deliveries: [Delivery]

    /// A delivery.
    public struct Delivery: Codable, Sendable, Hashable {
        /// The id.
        public var id: String
        /// The device's id.
        public var device: String
        /// The device's name.
        public var name: String
        /// `queued`, `sending`, `sent`, `merged`, `dropped`, `failed` or `recalled`.
        public var status: String

        /// Creates a delivery.
        public init(id: String, device: String, name: String, status: String) {
            self.id = id
            self.device = device
            self.name = name
            self.status = status
        }
    }

    /// Creates a notification.
    public init(id: String, status: String, topic: String, isRepeat: Bool?, deliveries: [Delivery]) {
        self.id = id
        self.status = status
        self.topic = topic
        self.isRepeat = isRepeat
        self.deliveries = deliveries
    }
}

/// One line of the log: a delivery.
public struct PushLogLine: Codable, Sendable, Hashable {
    /// The delivery's id.
    public var id: String
    /// The notification's id.
    public var notification: String
    /// The topic.
    public var topic: String
    /// The device's id; nil for a deleted one.
    public var device: String?
    /// The device's name.
    public var deviceName: String?
    /// The channel.
    public var channel: String?
    /// The status of the delivery.
    public var status: String
    /// The title; only for those who may send.
    public var title: String?
    /// The priority.
    public var priority: String
    /// What made it: `api`, `ntfy`, `schedule`, `digest`, `trigger`, `action`, `recall` or `test`.
    public var source: String
    /// The rule that decided last.
    public var rule: String?
    /// What the rule or the service said last.
    public var reason: String?
    /// The attempts since the message last changed.
    public var attempts: Int
    /// The service's id of the message.
    public var serviceId: String?
    /// When the next look is due, ISO 8601; nil when none is.
    public var nextAt: String?
    /// When it was stored, ISO 8601.
    public var createdAt: String
    /// When the service took it, ISO 8601.
    public var sentAt: String?
    /// When the device reported it, ISO 8601.
    public var deliveredAt: String?
    /// When a person opened it, ISO 8601.
    public var openedAt: String?
    /// When a person acknowledged it, ISO 8601.
    public var acknowledgedAt: String?
    /// The id of the pressed button.
    public var action: String?

    /// Creates a line.
    public init(
        id: String, notification: String, topic: String, status: String, priority: String, source: String,
        attempts: Int, createdAt: String
    ) {
        self.id = id
        self.notification = notification
        self.topic = topic
        self.status = status
        self.priority = priority
        self.source = source
        self.attempts = attempts
        self.createdAt = createdAt
    }
}

/// A page of the log.
public struct PushLogPage: Codable, Sendable, Hashable {
    /// The deliveries, newest first.
    public var log: [PushLogLine]
    /// The start of the next page; nil on the last one. A page of a rare filter may be empty and have a next one.
    public var nextCursor: String?

    /// Creates a page.
    public init(log: [PushLogLine], nextCursor: String?) {
        self.log = log
        self.nextCursor = nextCursor
    }
}

/// Why a delivery is what it is.
public struct PushExplanation: Codable, Sendable, Hashable {
    /// The delivery.
    public var delivery: PushLogLine
    /// One sentence: what became of it, and why.
    public var summary: String
    /// The rules in the order in which they were tried the last time, with what each one said.
    public var steps: [String]
    /// What would happen now, by the device's current rules; nil for a delivery that is done.
    public var now: [String]?
    /// What happened, oldest first.
    public var events: [PushEvent]

    /// Creates an explanation.
    public init(delivery: PushLogLine, summary: String, steps: [String], now: [String]?, events: [PushEvent]) {
        self.delivery = delivery
        self.summary = summary
        self.steps = steps
        self.now = now
        self.events = events
    }
}

/// Something that happened to a notification.
public struct PushEvent: Codable, Sendable, Hashable {
    /// The id; ids only grow.
    public var id: Int64
    /// When, ISO 8601.
    public var at: String
    /// What: `sent`, `retry`, `held`, `merged`, `dropped`, `failed`, `recalled`, `updated`, `retried`, `delivered`,
    /// `opened`, `action`, `acknowledged`, `result`, `retired` or `missed`.
    public var kind: String
    /// What was said about it.
    public var detail: String
    /// The device's id.
    public var device: String?
    /// The notification's id.
    public var notification: String?
    /// The delivery's id.
    public var delivery: String?
    /// The topic.
    public var topic: String?
    /// The message, in a device's own stream.
    public var message: JSONValue?

    /// Creates an event.
    public init(id: Int64, at: String, kind: String, detail: String) {
        self.id = id
        self.at = at
        self.kind = kind
        self.detail = detail
    }
}

/// The body of `POST /api/v1/deliveries/{id}/receipts`.
public struct PushReceiptRequest: Codable, Sendable, Hashable {
    /// `delivered`, `opened`, `action`, `acknowledged`, or `result` of a shortcut.
    public var event: String
    /// The id of the pressed button, for `action`.
    public var action: String?
    /// Whether the shortcut succeeded, for `result`.
    public var success: Bool?
    /// What the shortcut gave, for `result`.
    public var output: String?

    /// Creates a receipt.
    public init(event: String, action: String? = nil) {
        self.event = event
        self.action = action
    }
}
