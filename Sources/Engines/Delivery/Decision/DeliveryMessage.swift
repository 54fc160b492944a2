package import Schedules

/// What the decision needs to know of a message for one device.
package struct DeliveryMessage: Sendable, Equatable {
    package var id: String
    /// The topic it was sent to.
    package var topic: String
    /// How much it may interrupt.
    package var priority: DeliveryPriority
    package var notBefore: Instant?
    /// Worthless from this instant on.
    package var expires: Instant?
    /// Of waiting messages with the same key only the newest is sent.
    package var collapseKey: String?
    /// Whether it is a digest, which no other digest takes in.
    package var isDigest = false

    package init(
        id: String, topic: String, priority: DeliveryPriority = .normal, notBefore: Instant? = nil,
        expires: Instant? = nil, collapseKey: String? = nil, isDigest: Bool = false
    ) {
        self.id = id
        self.topic = topic
        self.priority = priority
        self.notBefore = notBefore
        self.expires = expires
        self.collapseKey = collapseKey
        self.isDigest = isDigest
    }
}

extension DeliveryMessage {
    /// Which waiting messages of a device are superseded: their ids, each with the id of the newest one of the same
    /// key.
    ///
    /// `waiting` is in the order in which the messages came.
    package static func superseded(among waiting: [DeliveryMessage]) -> [String: String] {
        var newest: [String: String] = [:]
        for message in waiting { if let key = message.collapseKey { newest[key] = message.id } }
        var superseded: [String: String] = [:]
        for message in waiting {
            if let key = message.collapseKey, let id = newest[key], id != message.id { superseded[message.id] = id }
        }
        return superseded
    }
}
