import Database
package import Foundation

/// Where a delivery is on its way, as stored. Numbers below 2 are open: a worker looks at them when they are due.
package enum PushState: Int64, Sendable, CaseIterable {
    /// It waits for its time.
    case queued = 0
    /// A worker holds it.
    case sending = 1
    /// The service took it.
    case sent = 2
    /// It is part of a digest.
    case merged = 3
    /// A rule dropped it.
    case dropped = 4
    /// It was given up.
    case failed = 5
    /// The sender took it back.
    case recalled = 6
}

/// A message as stored. Times are milliseconds since 1970.
package struct StoredPushMessage: Sendable, Hashable {
    package var id: Int64
    package var uuid: String
    package var topic: String
    /// The priority, 1 to 5.
    package var priority: Int
    /// The message as JSON.
    package var body: Data
    package var collapseKey: String?
    package var notBefore: Int64?
    package var expires: Int64?
    /// What made it, such as `api` or `schedule`.
    package var source: String
    /// The key that sent it.
    package var sender: Int64?
    package var isRecalled: Bool
    package var revision: Int64
    package var createdAt: Int64

    /// The largest body that is read, in bytes.
    static let maxBody = 64 << 10

    /// The columns that ``init(_:from:)`` reads, in their order.
    static func columns(_ words: SQLDialect) -> String {
        """
        m.id, m.uuid, m.topic, m.priority, \(words.bounded("m.body", maxBody)), m.collapse_key, m.not_before, m.expires,
        m.source, m.sender, m.is_recalled, m.revision, m.created_at
        """
    }

    /// The number of columns.
    static let columnCount = 13

    /// - Parameter first: The place of the first column.
    init?(_ row: SQLRow, from first: Int = 0) {
        guard let id = row.integer(first), let uuid = row.text(first + 1), let body = row.bytes(first + 4) else {
            return nil
        }
        self.id = id
        self.uuid = uuid
        self.body = Data(body)
        topic = row.text(first + 2) ?? ""
        priority = row.count(first + 3)
        collapseKey = row.text(first + 5)
        notBefore = row.integer(first + 6)
        expires = row.integer(first + 7)
        source = row.text(first + 8) ?? ""
        sender = row.integer(first + 9)
        isRecalled = row.bool(first + 10)
        revision = row.integer(first + 11) ?? 1
        createdAt = row.integer(first + 12) ?? 0
    }
}

/// A delivery as stored. Times are milliseconds since 1970.
package struct StoredPushDelivery: Sendable, Hashable {
    package var id: Int64
    package var uuid: String
    package var messageID: Int64
    package var deviceID: Int64
    package var state: PushState
    /// When the next look is due; while a worker holds it, the end of the lease.
    package var due: Int64
    /// The number of the lease.
    package var claim: Int64
    /// Attempts since the message last changed.
    package var attempts: Int
    /// Whether the other environment of APNs refused it.
    package var triedOther: Bool
    /// Whether a provider token was signed anew for it.
    package var renewed: Bool
    /// The rule that decided last; nil for none.
    package var rule: String?
    /// What the rule or the service said last.
    package var reason: String?
    /// The steps of the last decision as a JSON list of texts.
    package var steps: String?
    /// The service's id of the message.
    package var serviceID: String?
    package var digestDue: Int64?
    /// How often an emergency was sent.
    package var repeats: Int
    package var firstSentAt: Int64?
    package var sentAt: Int64?
    package var deliveredAt: Int64?
    package var openedAt: Int64?
    package var acknowledgedAt: Int64?
    /// The id of the pressed button.
    package var action: String?
    package var createdAt: Int64
    package var updatedAt: Int64

    /// The columns that ``init(_:from:)`` reads, in their order.
    static func columns(_ words: SQLDialect) -> String {
        """
        v.id, v.uuid, v.message_id, v.device_id, v.state, v.due, v.claim, v.attempts, v.tried_other, v.renewed, v.rule,
        \(words.bounded("v.reason", 8192)), \(words.bounded("v.steps", 16 << 10)),
        \(words.bounded("v.service_id", 1024)), v.digest_due, v.repeats, v.first_sent_at, v.sent_at, v.delivered_at,
        v.opened_at, v.acknowledged_at, \(words.bounded("v.action", 256)), v.created_at, v.updated_at
        """
    }

    /// The number of columns.
    static let columnCount = 24

    /// - Parameter first: The place of the first column.
    init?(_ row: SQLRow, from first: Int = 0) {
        guard let id = row.integer(first), let uuid = row.text(first + 1), let message = row.integer(first + 2),
            let device = row.integer(first + 3), let state = row.integer(first + 4).flatMap(PushState.init)
        else { return nil }
        self.id = id
        self.uuid = uuid
        self.state = state
        messageID = message
        deviceID = device
        due = row.integer(first + 5) ?? 0
        claim = row.integer(first + 6) ?? 0
        attempts = max(0, row.count(first + 7))
        triedOther = row.bool(first + 8)
        renewed = row.bool(first + 9)
        rule = row.text(first + 10)
        reason = row.text(first + 11)
        steps = row.text(first + 12)
        serviceID = row.text(first + 13)
        digestDue = row.integer(first + 14)
        repeats = max(0, row.count(first + 15))
        firstSentAt = row.integer(first + 16)
        sentAt = row.integer(first + 17)
        deliveredAt = row.integer(first + 18)
        openedAt = row.integer(first + 19)
        acknowledgedAt = row.integer(first + 20)
        action = row.text(first + 21)
        createdAt = row.integer(first + 22) ?? 0
        updatedAt = row.integer(first + 23) ?? 0
    }
}

extension StoredPushDelivery {
    /// A delivery that nobody looked at yet.
    init(id: Int64, uuid: String, messageID: Int64, deviceID: Int64, due: Int64, createdAt: Int64) {
        self.id = id
        self.uuid = uuid
        self.messageID = messageID
        self.deviceID = deviceID
        self.due = due
        self.createdAt = createdAt
        state = .queued
        (claim, attempts, repeats) = (0, 0, 0)
        (triedOther, renewed) = (false, false)
        updatedAt = createdAt
    }
}

/// A delivery that a worker holds, with what it needs to send it.
package struct PushWork: Sendable, Hashable {
    package var delivery: StoredPushDelivery
    package var message: StoredPushMessage
    package var device: StoredPushDevice
    /// The id of a newer delivery of the same collapse key to the device.
    package var supersededBy: String?
    /// When the bucket of the topic is full again.
    package var bucketFullAt: Int64?

    package init(
        delivery: StoredPushDelivery, message: StoredPushMessage, device: StoredPushDevice, supersededBy: String?,
        bucketFullAt: Int64?
    ) {
        self.delivery = delivery
        self.message = message
        self.device = device
        self.supersededBy = supersededBy
        self.bucketFullAt = bucketFullAt
    }
}

/// A message to store with its deliveries.
package struct PushDraft: Sendable {
    package var topic: String
    /// The priority, 1 to 5.
    package var priority: Int
    /// The message as JSON.
    package var body: Data
    package var collapseKey: String?
    package var notBefore: Int64?
    package var expires: Int64?
    package var source: String
    /// What caused it, unique over all servers; nil for a request.
    package var origin: String?
    package var sender: Int64?
    /// The rows of the devices.
    package var devices: [Int64]

    package init(topic: String, priority: Int, body: Data, source: String, devices: [Int64]) {
        self.topic = topic
        self.priority = priority
        self.body = body
        self.source = source
        self.devices = devices
    }
}

/// By what a repeated request is known.
package struct PushRequestName: Sendable, Hashable {
    /// Who sends.
    package var caller: String
    /// The name that the caller chose.
    package var name: String
    /// SHA-256 of the request.
    package var hash: Data

    package init(caller: String, name: String, hash: Data) {
        self.caller = caller
        self.name = name
        self.hash = hash
    }
}

/// A stored message with its deliveries.
package struct PushSubmission: Sendable {
    package var message: StoredPushMessage
    /// The deliveries with the public ids and names of their devices.
    package var deliveries: [(delivery: StoredPushDelivery, device: String, name: String)]
    /// Whether it was stored before, by a request of the same name or for the same origin.
    package var isKnown: Bool
}

/// What follows an attempt or a decision.
package struct PushRecord: Sendable {
    package var delivery: StoredPushDelivery
    /// The revision of the message that was sent.
    package var revision: Int64
    /// What happened, for the log; nil for nothing worth a line.
    package var event: (kind: String, detail: String)?
    /// The topic's bucket after the decision.
    package var bucket: (topic: String, fullAt: Int64)?
    /// What the attempt says of the device.
    package var device: DeviceUpdate?

    /// What an attempt says of a device.
    package enum DeviceUpdate: Sendable, Hashable {
        /// A service took a message for its address, in this environment of APNs.
        case worked(environment: String?)
        /// Its address is dead if it was registered before this instant.
        case retired(registeredBefore: Int64, reason: String)
    }

    package init(_ delivery: StoredPushDelivery, revision: Int64) {
        self.delivery = delivery
        self.revision = revision
    }
}
