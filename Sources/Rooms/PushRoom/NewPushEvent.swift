import Database

/// What happened to a notification, before the log has it.
struct NewPushEvent {
    let kind: String
    let detail: String
    let device: Int64?
    let message: Int64?
    let delivery: Int64?

    init(_ kind: String, _ detail: String = "", device: Int64? = nil, message: Int64? = nil) {
        (self.kind, self.detail, self.device, self.message, delivery) = (kind, detail, device, message, nil)
    }

    init(_ kind: String, _ detail: String = "", of found: StoredPushDelivery) {
        (self.kind, self.detail) = (kind, detail)
        (device, message, delivery) = (found.deviceID, found.messageID, found.id)
    }

    /// Readers follow the ids of events, so a server must not commit a lower id after a higher one: transactions with events run
    /// one after another, as those of a file do anyway. They take this lock first, so that no two wait for each other.
    static func lock(_ session: any SQLSession) throws { try session.lock("gateway_push_events") }

    /// Adds the event to the log, in a transaction that has the ``lock(_:)``.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func add(at now: Int64, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_push_events (at, kind, device_id, message_id, delivery_id, detail)
            VALUES ($1, $2, $3, $4, $5, $6)
            """, [.integer(now), .text(kind), .integer(device), .integer(message), .integer(delivery), .text(detail)])
    }
}
